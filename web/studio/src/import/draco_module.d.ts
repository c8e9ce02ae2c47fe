declare module 'three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js' {
  interface Named {
    ptr: number;
  }
  interface Mesh extends Named {
    num_points(): number;
    num_faces(): number;
  }
  interface Decoder extends Named {
    DecodeArrayToMesh(bytes: Int8Array, size: number, mesh: Mesh): { ok(): boolean; error_msg(): string };
    GetAttributeByUniqueId(mesh: Mesh, id: number): Named;
    GetTrianglesUInt32Array(mesh: Mesh, bytes: number, pointer: number): boolean;
    GetAttributeDataArrayForAllPoints(mesh: Mesh, attribute: Named, type: number, bytes: number, to: number): boolean;
  }
  export interface Draco {
    Decoder: new () => Decoder;
    Mesh: new () => Mesh;
    destroy(one: Named): void;
    HEAPU8: Uint8Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    DT_INT8: number;
    DT_UINT8: number;
    DT_INT16: number;
    DT_UINT16: number;
    DT_UINT32: number;
    DT_FLOAT32: number;
  }
  const create: (options: { wasmBinary: ArrayBuffer }) => Promise<Draco>;
  export default create;
}
