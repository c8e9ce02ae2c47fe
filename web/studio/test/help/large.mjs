// A character with any number of vertices, made in the page: a tube that bends at three joints.

/** Opens it in the studio. `count`: about how many vertices. */
export const openLarge = (page, count, name = 'large.glb') =>
  page.evaluate(
    async ([wanted, title]) => {
      const around = Math.max(8, Math.round(Math.sqrt(wanted / 4)));
      const along = Math.round(wanted / around);
      const vertices = around * along;
      const positions = new Float32Array(3 * vertices);
      const normals = new Float32Array(3 * vertices);
      const joints = new Uint8Array(4 * vertices);
      const weights = new Uint8Array(4 * vertices);
      const triangles = new Uint32Array(6 * around * (along - 1));
      for (let i = 0, u = 0; i < along; i++)
        for (let k = 0; k < around; k++, u++) {
          const angle = (2 * Math.PI * k) / around;
          const height = (2 * i) / (along - 1);
          normals.set([Math.cos(angle), 0, Math.sin(angle)], 3 * u);
          positions.set([0.3 * Math.cos(angle), height, 0.3 * Math.sin(angle)], 3 * u);
          const bone = Math.min(Math.floor(height), 1);
          joints.set([bone, bone + 1, 0, 0], 4 * u);
          const upper = Math.round(255 * (height - bone));
          weights.set([255 - upper, upper, 0, 0], 4 * u);
        }
      for (let i = 0, t = 0; i + 1 < along; i++)
        for (let k = 0; k < around; k++, t += 6) {
          const [a, b] = [i * around + k, i * around + ((k + 1) % around)];
          triangles.set([a, a + around, b, b, a + around, b + around], t);
        }
      const times = new Float32Array([0, 0.5, 1]);
      const turns = new Float32Array([0, 0, 0, 1, 0, 0, 0.26, 0.97, 0, 0, 0, 1]);
      const parts = [positions, normals, joints, weights, triangles, times, turns];
      let length = 0;
      const bufferViews = parts.map(({ byteLength }) => {
        const view = { buffer: 0, byteOffset: length, byteLength };
        length += 4 * Math.ceil(byteLength / 4);
        return view;
      });
      const accessor = (bufferView, componentType, type, size, more = {}) => ({
        bufferView,
        componentType,
        type,
        count: size,
        ...more,
      });
      const json = {
        asset: { version: '2.0' },
        scene: 0,
        scenes: [{ nodes: [0, 1] }],
        nodes: [
          { name: 'Tube', mesh: 0, skin: 0 },
          { name: 'Low', children: [2] },
          { name: 'Middle', translation: [0, 1, 0], children: [3] },
          { name: 'High', translation: [0, 1, 0] },
        ],
        skins: [{ joints: [1, 2, 3], inverseBindMatrices: 7 }],
        meshes: [
          {
            name: 'Tube',
            primitives: [{ attributes: { POSITION: 0, NORMAL: 1, JOINTS_0: 2, WEIGHTS_0: 3 }, indices: 4 }],
          },
        ],
        animations: [
          {
            name: 'bend',
            channels: [{ sampler: 0, target: { node: 2, path: 'rotation' } }],
            samplers: [{ input: 5, output: 6 }],
          },
        ],
        accessors: [
          accessor(0, 5126, 'VEC3', vertices, { min: [-0.3, 0, -0.3], max: [0.3, 2, 0.3] }),
          accessor(1, 5126, 'VEC3', vertices),
          accessor(2, 5121, 'VEC4', vertices),
          accessor(3, 5121, 'VEC4', vertices, { normalized: true }),
          accessor(4, 5125, 'SCALAR', triangles.length),
          accessor(5, 5126, 'SCALAR', 3, { min: [0], max: [1] }),
          accessor(6, 5126, 'VEC4', 3),
          accessor(7, 5126, 'MAT4', 3),
        ],
        bufferViews,
        buffers: [{ byteLength: length + 192 }],
      };
      const inverse = new Float32Array(48);
      [0, 1, 2].forEach((j) => inverse.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -j, 0, 1], 16 * j));
      bufferViews.push({ buffer: 0, byteOffset: length, byteLength: 192 });
      let text = JSON.stringify(json);
      text += ' '.repeat((4 - (text.length % 4)) % 4);
      const bytes = new Uint8Array(28 + text.length + length + 192);
      const head = new Uint32Array(bytes.buffer, 0, 5);
      head.set([0x46546c67, 2, bytes.length, text.length, 0x4e4f534a]);
      bytes.set(new TextEncoder().encode(text), 20);
      new Uint32Array(bytes.buffer, 20 + text.length, 2).set([length + 192, 0x004e4942]);
      const binary = 28 + text.length;
      parts.forEach((part, i) => bytes.set(new Uint8Array(part.buffer), binary + bufferViews[i].byteOffset));
      bytes.set(new Uint8Array(inverse.buffer), binary + length);
      return window.studio.open(title, bytes);
    },
    [count, name],
  );
