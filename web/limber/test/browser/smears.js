// Runs in the page: the same character twice, smeared by the engine and by the GPU, and how far they are apart.

/** Positions and the number beside them, from two texels per vertex. */
function placesOf(pixels, first, count) {
  const positions = new Float32Array(3 * count);
  const beside = new Float32Array(count);
  for (let u = 0; u < count; u++) {
    const at = 8 * (first + u);
    positions.set(pixels.subarray(at, at + 3), 3 * u);
    beside[u] = pixels[at + 3];
  }
  return { positions, beside };
}

function farthest(a, b) {
  let most = 0;
  for (let i = 0; i < a.length; i += 3) {
    const distance = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    if (!(distance <= most)) most = distance;
  }
  return most;
}

// Tubes have 13 rings of 6 vertices, then the middles of their ends.
const TUBE = 80;
const RINGS = 13;

/** The middles of the rings of a tube. */
function middles(positions, first) {
  const out = new Float32Array(3 * RINGS);
  for (let r = 0; r < RINGS; r++)
    for (let k = 0; k < 6; k++)
      for (let c = 0; c < 3; c++) out[3 * r + c] += positions[3 * (first + 6 * r + k) + c] / 6;
  return out;
}

/** The shortest step over two rings: where it is nothing, rounding decides the direction of the tube. */
function shortestStep(points) {
  let least = Infinity;
  for (let r = 0; r < RINGS; r++) {
    const [a, b] = [3 * Math.max(r - 1, 0), 3 * Math.min(r + 1, RINGS - 1)];
    least = Math.min(
      least,
      Math.hypot(points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]),
    );
  }
  return least;
}

/** Of tubes: middles of all, and vertices of those that have a direction everywhere. */
function compareTubes(got, wanted, size) {
  let most = 0;
  for (let first = 0; 3 * first < wanted.length; first += TUBE) {
    const want = middles(wanted, first);
    most = Math.max(most, farthest(middles(got, first), want));
    if (shortestStep(want) < 1e-3 * size) continue;
    const range = [3 * first, 3 * (first + TUBE)];
    most = Math.max(most, farthest(got.subarray(...range), wanted.subarray(...range)));
    compareTubes.whole++;
  }
  return most;
}
compareTubes.whole = 0;

const difference = (a, b) => a.reduce((most, x, i) => (Math.abs(x - b(i)) <= most ? most : Math.abs(x - b(i))), 0);

function compareMeshes(wanted, copies, tubes, { vertexCount, meshes, size }, past) {
  const result = { copies: 0, lines: 0, opacity: 0, seen: 0 };
  for (const mesh of wanted) {
    if (!mesh.visible) continue;
    const first = mesh.kind === 'lines' ? 0 : (mesh.number + past) * vertexCount + meshes[mesh.source].firstVertex;
    const count = mesh.positions.length / 3;
    const got = placesOf(mesh.kind === 'lines' ? tubes : copies, first, count);
    if (mesh.kind === 'lines') result.lines = Math.max(result.lines, compareTubes(got.positions, mesh.positions, size));
    else result.copies = Math.max(result.copies, farthest(got.positions, mesh.positions));
    // The material multiplies the color's own opacity, which is 1 here.
    result.opacity = Math.max(
      result.opacity,
      difference(got.beside, (u) => mesh.colors[4 * u + 3]),
    );
    result.seen++;
  }
  return result;
}

export async function smearsOf([cpu, gpu], { clip, start, frames = 6, step = 1 / 30 }, read) {
  const { size } = cpu.toon.character;
  compareTubes.whole = 0;
  const worst = { on: '', reason: '', moved: 0, offsets: 0, copies: 0, lines: 0, opacity: 0, seen: 0, smeared: 0 };
  for (const { mixer, gltf, toon } of [cpu, gpu]) {
    mixer.clipAction(gltf.animations[clip]).play();
    mixer.setTime(start);
    toon.reset();
  }
  for (let i = 0; i < frames; i++) {
    for (const { mixer, toon } of [cpu, gpu]) {
      mixer.update(step);
      toon.update(step);
    }
    gpu.draw();
    worst.on = gpu.toon.computed.on;
    worst.reason = gpu.toon.computed.reason;
    if (worst.on !== 'gpu') break;
    const { results, pack } = gpu.toon.smears.passes;
    const { positions, smearMeshes, offsets } = cpu.toon.frame;
    const { character } = cpu.toon;
    const moved = placesOf(await read(results.moved), 0, character.vertexCount);
    const copies = results.copies && (await read(results.copies));
    const tubes = results.tubes && (await read(results.tubes));
    const meshes = compareMeshes(smearMeshes, copies, tubes, character, pack.copies);
    worst.moved = Math.max(worst.moved, farthest(moved.positions, positions) / size);
    if (offsets)
      worst.offsets = Math.max(
        worst.offsets,
        difference(moved.beside, (u) => offsets[u]),
      );
    for (const kind of ['copies', 'lines']) worst[kind] = Math.max(worst[kind], meshes[kind] / size);
    worst.opacity = Math.max(worst.opacity, meshes.opacity);
    worst.seen += meshes.seen;
    const bare = cpu.toon.styled.pipeline.evaluateVertices({ positions: new Float32Array(positions.length) }).positions;
    worst.smeared = Math.max(worst.smeared, farthest(bare, positions) / size);
  }
  worst.tubes = compareTubes.whole;
  cpu.toon.dispose();
  gpu.toon.dispose();
  return worst;
}
