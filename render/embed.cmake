# Turns text files into a C file of byte arrays: cmake -DOUTPUT=F -DINPUTS=a.vert,b.frag -P embed.cmake
# scene.vert becomes `const char limberi_shader_scene_vert[]`, with a terminating zero.
string(REPLACE "," ";" inputs "${INPUTS}")
set(text "#include \"render/shaders.h\"\n")
foreach(input IN LISTS inputs)
  get_filename_component(name "${input}" NAME)
  string(MAKE_C_IDENTIFIER "${name}" identifier)
  file(READ "${input}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "\nconst char limberi_shader_${identifier}[] = {${bytes}0};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
