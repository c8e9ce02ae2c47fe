# A spring bone chain as add-ons for Godot 3 write it, on the tail: godot3-server --path PROJECT -s springs.gd
#
# Godot 3 has no spring bones of its own (its PhysicalBone is a ragdoll), so the chain below is limber's own code: the tip
# of each bone is a mass on a damped spring to where the pose has it, moved once a frame with `delta`, and kept at the
# length of the bone. PROJECT/runs.json has the settings and frames; tips.json gets the tips, and what a joint costs.
extends SceneTree

var skeleton
var settings
var scale
var bones = []
var places = []
var velocities = []

func _init():
	var asked = read_json("res://runs.json")
	settings = asked.settings
	var tips = []
	for run in asked.runs:
		tips.append(play(run, asked.scene))
	var out = File.new()
	out.open("res://tips.json", File.WRITE)
	out.store_string(to_json({"tips": tips, "ns": cost(asked.scene), "has_jiggle": ClassDB.class_exists("SkeletonModification2DJiggle")}))
	out.close()
	quit()

func read_json(path):
	var file = File.new()
	file.open(path, File.READ)
	return parse_json(file.get_as_text())

func build(scene, by):
	scale = by
	bones = []
	places = []
	velocities = []
	skeleton = Skeleton.new()
	root.add_child(skeleton)
	skeleton.add_bone("body")
	skeleton.add_bone("base")
	skeleton.set_bone_parent(1, 0)
	var base = Transform(Basis(Vector3(1, 0, 0), -PI / 2), Vector3(scene.base[0], scene.base[1], scene.base[2]) * by)
	skeleton.set_bone_rest(1, base)
	for i in range(scene.bones):
		skeleton.add_bone("tail%d" % (i + 1))
		skeleton.set_bone_parent(i + 2, i + 1)
		skeleton.set_bone_rest(i + 2, Transform(Basis(), Vector3(0, scene.bone * by, 0)))
		bones.append(i + 2)

func place_body(frame):
	skeleton.set_bone_pose(0, Transform(Basis(Vector3(0, 1, 0), frame[3]), Vector3(0, frame[2] * scale, 0)))

func settle(length):
	for bone in bones:
		places.append(skeleton.get_bone_global_pose(bone).xform(Vector3(0, length, 0)))
		velocities.append(Vector3())

func swing(delta, length):
	for i in range(bones.size()):
		var parent = skeleton.get_bone_global_pose(skeleton.get_bone_parent(bones[i]))
		var rest = parent * skeleton.get_bone_rest(bones[i])
		var goal = rest.xform(Vector3(0, length, 0))
		velocities[i] += (goal - places[i]) * settings.stiffness * delta
		velocities[i] *= max(0, 1 - settings.damping * delta)
		var place = places[i] + velocities[i] * delta
		places[i] = rest.origin + (place - rest.origin).normalized() * length
		var along = rest.basis.xform_inv(places[i] - rest.origin).normalized()
		skeleton.set_bone_pose(bones[i], Transform(Basis(turn(along)), Vector3()))

# The shortest turn of the y axis.
func turn(along):
	var q = Quat(along.z, 0, -along.x, 1 + along.y)
	return q.normalized()

func tip(length):
	var place = skeleton.get_bone_global_pose(bones[-1]).xform(Vector3(0, length, 0))
	return [place.x, place.y, place.z]

func play(run, scene):
	build(scene, run.scale)
	var length = scene.bone * run.scale
	var tips = []
	for i in range(run.frames.size()):
		place_body(run.frames[i])
		if i == 0:
			settle(length)
		else:
			swing(run.frames[i][0] - run.frames[i - 1][0], length)
		tips.append(tip(length))
	skeleton.free()
	return tips

# Nanoseconds a joint and frame: the best of 20 rounds.
func cost(scene):
	build(scene, 1.0)
	place_body([0, 0, 1, 0])
	settle(scene.bone)
	var best = INF
	for round_index in range(20):
		var sum = 0
		for i in range(120):
			place_body([0, 0, 1, 0.8 * sin(i / 20.0)])
			var start = OS.get_ticks_usec()
			swing(1.0 / 60, scene.bone)
			sum += OS.get_ticks_usec() - start
		best = min(best, 1000.0 * sum / 120 / bones.size())
	skeleton.free()
	return best
