"""Materials of copies and motion lines: the opacity is in a color attribute of the mesh."""
import bpy

TAG = "limber_smear"
COLOR = "limber"  # the attribute


def copy_of(material):
    """A material that looks like another one and is as opaque as the vertices say."""
    name = material.name_full if material is not None else ""
    for found in bpy.data.materials:
        if found.get(TAG) == name and found.library is None:
            return found
    made = material.copy() if material is not None else bpy.data.materials.new("Limber copy")
    made.name = f"{material.name} limber" if material is not None else "Limber copy"
    made[TAG] = name
    if not made.use_nodes:
        _plain(made)
    _fade(made)
    return made


def lines():
    """The material of motion lines: the color of their vertices, without shading."""
    found = bpy.data.materials.get("Limber lines")
    if found is not None and found.get(TAG) == "lines":
        return found
    made = bpy.data.materials.new("Limber lines")
    made[TAG] = "lines"
    made.use_nodes = True
    tree = made.node_tree
    tree.nodes.clear()
    out, glow = tree.nodes.new("ShaderNodeOutputMaterial"), tree.nodes.new("ShaderNodeEmission")
    color = _attribute(tree)
    tree.links.new(color.outputs["Color"], glow.inputs["Color"])
    tree.links.new(glow.outputs[0], out.inputs["Surface"])
    _fade(made)
    return made


def _plain(material):
    """Nodes for a material without nodes."""
    color = tuple(material.diffuse_color)
    material.use_nodes = True
    shader = next((n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED"), None)
    if shader is not None:
        shader.inputs["Base Color"].default_value = color
        shader.inputs["Roughness"].default_value = material.roughness


def _attribute(tree):
    node = tree.nodes.new("ShaderNodeAttribute")
    node.attribute_name = COLOR
    return node


def _fade(material):
    """Mixes what reaches each output with a transparent shader."""
    tree = material.node_tree
    for out in [n for n in tree.nodes if n.type == "OUTPUT_MATERIAL"]:
        surface = out.inputs["Surface"]
        if not surface.links:
            continue
        source = surface.links[0].from_socket
        mix, clear = tree.nodes.new("ShaderNodeMixShader"), tree.nodes.new("ShaderNodeBsdfTransparent")
        tree.links.new(_attribute(tree).outputs["Alpha"], mix.inputs[0])
        tree.links.new(clear.outputs[0], mix.inputs[1])
        tree.links.new(source, mix.inputs[2])
        tree.links.new(mix.outputs[0], surface)
    if hasattr(material, "surface_render_method"):
        material.surface_render_method = "DITHERED"
    else:
        material.blend_method, material.shadow_method = "HASHED", "HASHED"


def remove_unused():
    for material in [m for m in bpy.data.materials if TAG in m and m.users == 0 and m.library is None]:
        bpy.data.materials.remove(material)
