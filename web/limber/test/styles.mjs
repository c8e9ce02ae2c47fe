// Styles that cover the whole engine: each effect alone in its variants, all together, filters, layers, formulas,
// limits, gains per joint, dual quaternions, smears and edited skeletons.
const lowpass = { type: 'lowpass', gamma: 0.4 };
const spring = { type: 'spring', frequency: 3, damping: 0.3 };
const effects = (e, more = {}) => ({ effects: e, ...more });

const everything = {
  floppy: { linear: 0.05, angular: 0.3, max_bend: 60, twist: 0.5, layer: 'floppy', filter: lowpass },
  squash: { linear: 0.1, angular: 0.1, layer: 'squash', filter: lowpass },
  drag: { linear: 0.003, angular: 0.01, max_bend: 40, layer: 'floppy' },
  followthrough: { linear: 0.003, angular: 0.012, max_bend: 40, filter: spring },
  stretch: { angular: 0.004 },
  lift: { angular: 0.02, normals: 'mesh' },
};

export const STYLES = {
  plain: {},
  'dual quaternions': { skinning: 'dualquat' },
  'floppy linear': effects({ floppy: { linear: 0.1 } }),
  'floppy angular': effects({ floppy: { angular: 0.4 } }),
  'floppy limited': effects({ floppy: { angular: 0.8, max_bend: 45, twist: 0.3, bend: 1.2 } }),
  'squash linear': effects({ squash: { linear: 0.2 } }),
  'squash about the axis': effects({ squash: { angular: 0.2 } }),
  'squash about the centre': effects({ squash: { angular: 0.2, about: 'center' } }),
  drag: effects({ drag: { linear: 0.005, angular: 0.02, max_bend: 50 } }),
  followthrough: effects({ followthrough: { linear: 0.005, angular: 0.02, turn: 0.2 } }),
  'filters that change': effects({
    floppy: { angular: 0.4, filter: { type: 'spring', frequency: 'key(0, 2, 1, 5)', damping: '0.2 + 0.1 * phase' } },
    overlap: { gain: 2, frequency: '2 + t', smooth: '0.03 + 0.02 * phase' },
  }),
  stretch: effects({ stretch: { angular: 0.006 } }),
  'stretch, quadratic': effects({ stretch: { angular: 0.006, profile: 'quadratic' } }),
  'lift off the mesh': effects({ lift: { angular: 0.05, normals: 'mesh' } }),
  'lift by floppy parts': effects({
    floppy: { angular: 0.2 },
    lift: { angular: 0.5, normals: 'mesh', source: ['floppy'] },
  }),
  'lowpass on everything': effects({
    floppy: { linear: 0.05, angular: 0.3, filter: lowpass },
    squash: { linear: 0.1, angular: 0.1, filter: lowpass },
  }),
  'springs on everything': effects({
    floppy: { angular: 0.3, filter: spring },
    followthrough: { angular: 0.02, filter: spring },
  }),
  layers: effects({ floppy: { linear: 0.1, angular: 0.4, layer: 'floppy' }, squash: { linear: 0.2, layer: 'squash' } }),
  formulas: effects({
    floppy: {
      angular: '0.4 * smoothstep(0.1, 0.9, height) * (1 + 0.3 * sin(3 * t))',
      max_bend: '30 + 20 * noise(3 * x, 3 * y, 3 * z)',
    },
    squash: { linear: '0.1 * key(0, 0, 1, 1, 2, 0.5) + 0.05 * rand + 0.02 * exp(-speed)' },
  }),
  'gains of joints': effects(
    { floppy: { linear: 0.05, angular: 0.3 }, squash: { angular: 0.1 } },
    { joints: { '*': { 'floppy.linear': 0.5, squash: '0.5 + 0.5 * sin(t)' } } },
  ),
  everything: effects(everything),
  'everything as a chain': effects(everything, { compose: 'chain' }),
  'turns as a chain, jacobian normals': effects(
    { floppy: { angular: 0.2 }, squash: { angular: 0.1, max: 0.4, fade: 0.5 } },
    { compose: 'chain', normals: 'jacobian' },
  ),
  'everything, dual quaternions, jacobian normals': effects(everything, { skinning: 'dualquat', normals: 'jacobian' }),
  'rigid parts': effects({ floppy: { angular: 0.3, max_bend: 60, layer: 'floppy' } }, { rigid: 'auto' }),
  'rigid parts in a chain, jacobian normals': effects(
    { overlap: { gain: 2 }, squash: { linear: 0.1 } },
    { rigid: 'auto', compose: 'chain', normals: 'jacobian' },
  ),
  'contacts and impacts': effects(
    { overlap: { gain: 3.5, max: 37, linear: 1 }, squash: { linear: 0.08 } },
    { contact: 1, impact: { gain: 0.8 }, floor: 0, compose: 'chain' },
  ),
  'contacts, impacts and rigid parts, jacobian normals': effects(
    { floppy: { angular: 0.3, max_bend: 60 } },
    { contact: 1, impact: { gain: 0.8 }, floor: 0, rigid: 'auto', normals: 'jacobian' },
  ),
  colliders: effects({ overlap: { gain: 6, max: 60 } }, { colliders: 'auto', compose: 'chain' }),
  'colliders of every shape, on the ground, jacobian normals': effects(
    { floppy: { angular: 0.3, max_bend: 60 } },
    {
      colliders: [
        'auto',
        { capsule: { from: [0.1, 0, 0], to: [0.1, 1, 0], radius: 0.1 } },
        { sphere: { center: [0, 0.5, 0.2], radius: 0.2 }, layer: 'floppy' },
        { plane: { point: [0, 0, -0.1], normal: [0, 0, 1] } },
      ],
      contact: 1,
      floor: 0,
      rigid: 'auto',
      normals: 'jacobian',
    },
  ),
  elongate: { smear: { elongate: { amount: '6 * offset * speed', past: 1, future: 0.7 } } },
  'elongate, ragged': effects(
    { floppy: { angular: 0.2 } },
    { smear: { elongate: { amount: 'noise' }, offsets: { skeleton: false, smooth: 1 }, step: 2 } },
  ),
  multiples: { smear: { multiples: { past: 2, future: 1, overlap: 1 } } },
  lines: { smear: { lines: { count: 40, length: '8 * offset', radius: 0.004, seed: 3 } } },
  'everything, smeared': effects(everything, {
    smear: { elongate: { amount: '3 * offset * speed' }, multiples: { past: 1, future: 1 }, lines: { count: 20 } },
  }),
  'exaggerate, filter': { exaggerate: { filter: { amount: 0.6, sigma: 0.1, delay: 0.02 } } },
  'exaggerate, automatic': { exaggerate: { constraints: 'auto', strength: 0.1 } },
  'exaggerate and deform': effects(everything, { exaggerate: { filter: { amount: 0.3 }, constraints: 'auto' } }),
};

/**
 * Of L: how far the GPU may be from the engine. It has layers in 16 bits, that is gains within 1.5e-5, and a chain of all
 * effects throws vertices many L away, and this error with them.
 */
export const LIMIT = 2e-5;
export const THROWN = 'everything as a chain';
export const allowed = (title, moved) => (title === THROWN ? LIMIT * Math.max(1, 4 * moved) : LIMIT);
