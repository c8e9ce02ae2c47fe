// Packs a .glb with Draco's own encoder, for the tests of the studio.
import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS, KHRDracoMeshCompression } from '@gltf-transform/extensions';
import draco3d from 'draco3d';

const NAME = 'KHR_draco_mesh_compression';
const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT)).registerExtensions(ALL_EXTENSIONS).registerDependencies({
  'draco3d.decoder': await draco3d.createDecoderModule(),
  'draco3d.encoder': await draco3d.createEncoderModule(),
});

/** The file packed, and what Draco's decoder makes of that. */
export async function packed(bytes) {
  const document = await io.readBinary(bytes);
  document.createExtension(KHRDracoMeshCompression).setRequired(true);
  const small = await io.writeBinary(document);
  const again = await io.readBinary(small);
  again.getRoot().listExtensionsUsed().filter((extension) => extension.extensionName === NAME).forEach((extension) => extension.dispose());
  return { packed: Buffer.from(small), plain: Buffer.from(await io.writeBinary(again)) };
}

/** Where the packed meshes of a .glb begin, in bytes of the file. */
export function packedViews(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length));
  return json.meshes.flatMap((mesh) => mesh.primitives.map((primitive) => 28 + length + (json.bufferViews[primitive.extensions[NAME].bufferView].byteOffset ?? 0)));
}
