# Plays an imported scene and writes where its vertices are: for godot.mjs.
#
#     godot3-server --path PROJECT -s godot_play.gd
#
# PROJECT/times.json has the clip and the times [s]; positions.json gets one list per time, over all meshes.
extends SceneTree

func _init():
	var asked = read_json("res://times.json")
	var scene = load("res://model.glb").instance()
	root.add_child(scene)
	var player = find(scene, "AnimationPlayer")[0]
	var lists = []
	for time in asked.times:
		player.play(asked.clip)
		player.seek(time, true)
		var list = []
		for mesh in find(scene, "MeshInstance"):
			add_vertices(mesh, list)
		lists.append(list)
	var out = File.new()
	out.open("res://positions.json", File.WRITE)
	out.store_string(to_json({"lists": lists}))
	out.close()
	quit()

func read_json(path):
	var file = File.new()
	file.open(path, File.READ)
	return parse_json(file.get_as_text())

func find(node, kind):
	var found = [node] if node.is_class(kind) else []
	for child in node.get_children():
		found += find(child, kind)
	return found

# Of one surface, as its blend shapes stand.
func shaped(mesh, surface):
	var arrays = mesh.mesh.surface_get_arrays(surface)
	var base = arrays[Mesh.ARRAY_VERTEX]
	var shapes = mesh.mesh.surface_get_blend_shape_arrays(surface)
	var result = PoolVector3Array(base)
	for s in range(shapes.size()):
		var weight = mesh.get("blend_shapes/" + mesh.mesh.get_blend_shape_name(s))
		var target = shapes[s][Mesh.ARRAY_VERTEX]
		if weight == 0:
			continue
		for v in range(base.size()):
			result[v] += weight * (target[v] - base[v])
	return result

func palette(mesh, skeleton):
	var result = []
	for i in range(mesh.skin.get_bind_count()):
		var bone = mesh.skin.get_bind_bone(i)
		if bone < 0:
			bone = skeleton.find_bone(mesh.skin.get_bind_name(i))
		result.append(skeleton.get_bone_global_pose(bone) * mesh.skin.get_bind_pose(i))
	return result

func add_vertices(mesh, list):
	var skeleton = mesh.get_node(mesh.skeleton) if mesh.skin else null
	var matrices = palette(mesh, skeleton) if skeleton else []
	for surface in range(mesh.mesh.get_surface_count()):
		var arrays = mesh.mesh.surface_get_arrays(surface)
		var places = shaped(mesh, surface)
		for v in range(places.size()):
			var p = places[v]
			if skeleton:
				p = Vector3()
				for i in range(4):
					var weight = arrays[Mesh.ARRAY_WEIGHTS][4 * v + i]
					if weight > 0:
						p += weight * matrices[arrays[Mesh.ARRAY_BONES][4 * v + i]].xform(places[v])
			p = (skeleton if skeleton else mesh).global_transform.xform(p)
			list.append([p.x, p.y, p.z])
