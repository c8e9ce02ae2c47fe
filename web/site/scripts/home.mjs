// The first page. Its words, a film with a divider and the controls are there at once; src/live.ts makes the live scene
// when somebody asks.
import { highlight } from './highlight.mjs';
import { shell } from './shell.mjs';
import { escape } from './text.mjs';

const TITLE = 'limber: cartoon motion for rigged characters';
const DESCRIPTION =
  'Put in an ordinary skeletal animation. Get it back with drag, follow-through, squash and stretch, smears and rubber bones. Try it with your own file, in your browser.';

const PRESETS = ['subtle', 'cartoon', 'rubberhose', 'jelly', 'snappy', 'heavy'];

const presets = PRESETS.map(
  (name) =>
    `<label><input type="radio" name="preset" value="${name}"${name === 'cartoon' ? ' checked' : ''} /><span>${name}</span></label>`,
).join('\n');

const show = `<div class="show" id="demo">
<div class="stage" id="stage">
<video id="film" muted loop playsinline hidden></video>
<canvas id="picture" width="960" height="640" role="img" aria-label="A mage strikes with her staff: plain on the left of a divider, cartoon on its right"></canvas>
<span class="tag plain" aria-hidden="true">plain</span><span class="tag styled" id="styled" aria-hidden="true">cartoon</span>
<span class="divider"><span class="knob"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M8 6l-4 4 4 4M12 6l4 4-4 4"/></svg></span></span>
<input type="range" class="over" id="wipe" min="0" max="100" step="any" value="50" aria-label="Divider between plain and cartoon" aria-valuetext="50 % plain" />
<button type="button" class="play" id="play" hidden>Pause</button>
<p class="state" id="state" role="status" hidden></p>
</div>
<p class="who" id="who">A mage by Kay Lousberg, not made for limber.</p>
<div class="controls" id="controls">
<fieldset><legend>Try a preset, live</legend>
${presets}
</fieldset>
<div class="amount"><label for="amount">Amount</label><input type="range" id="amount" min="0" max="2" step="0.01" value="1" /><output id="percent" for="amount">100 %</output></div>
<div class="own">
<label class="file"><input type="file" id="file" accept=".glb,.gltf,.vrm,.fbx,.bvh" /><span>Drop your own character here</span></label>
<label class="clip" id="clip-label" hidden><span>Clip</span><select id="clip"></select></label>
</div>
<p class="note">.glb, .vrm, .fbx, .gltf or .bvh. It opens in this page and is never uploaded.</p>
</div>
</div>`;

const PEOPLE = [
  {
    title: 'Animators',
    words: 'Give a finished clip a style, compare, change numbers. Or direct it in the studio and in Blender.',
    code: 'limber apply dog.glb --style cartoon -o toon.glb',
    language: 'sh',
    links: [
      ['docs/presets.html', 'Presets'],
      ['docs/studio.html', 'The studio'],
      ['docs/blender.html', 'Blender'],
    ],
  },
  {
    title: 'Game programmers',
    words: 'A C11 library. No memory is allocated per frame, and results are bit-equal for any number of threads.',
    code: 'cc game.c $(pkg-config --cflags --libs limber) -o game',
    language: 'sh',
    links: [
      ['README.html#for-game-programmers', 'First program'],
      ['docs/performance.html', 'What it costs'],
      ['docs/shader.html', 'The shader'],
    ],
  },
  {
    title: 'Web developers',
    words: 'Two lines for any three.js character, live, whatever animates it: clips, physics or the mouse.',
    code: "const toon = await limber(gltf.scene, 'cartoon');\ntoon.update(dt); // in every frame",
    language: 'js',
    links: [
      ['docs/web.html', 'three.js'],
      ['docs/web.html#react', 'React'],
      ['docs/web.html#crowds', 'Crowds'],
    ],
  },
  {
    title: 'Pipeline engineers',
    words:
      'Thousands of files on all cores or on a farm. glTF comes back whole; outputs appear complete or not at all.',
    code: "limber batch 'in/*.glb' --style cartoon --style jelly -o out",
    language: 'sh',
    links: [
      ['docs/farms.html', 'Batches'],
      ['docs/python.html', 'Python'],
      ['docs/trust.html', 'What can be trusted'],
    ],
  },
];

const person = ({ title, words, code, language, links }) => `<article class="card">
<h3>${title}</h3>
<p>${words}</p>
<div class="code"><pre tabindex="0" aria-label="Code for ${title.toLowerCase()}"><code>${highlight(code, language)}</code></pre></div>
<p class="links">${links.map(([href, name]) => `<a href="${href}">${name}</a>`).join(' ')}</p>
</article>`;

const ROOMS = [
  ['jelly', 'Jelly'],
  ['rubberhose', 'Rubber hose'],
  ['timing', 'Timing'],
  ['lift', 'Lift'],
  ['drybrush', 'Dry brush'],
  ['impact', 'Impact'],
];

const room = ([id, title]) =>
  `<li><a href="gallery/#${id}"><img src="gallery/posters/${id}.webp" alt="" width="420" height="420" loading="lazy" decoding="async" /><span>${escape(title)}</span></a></li>`;

const FACTS = [
  [
    'Closed form',
    'No simulation. Ask for any frame at any time, in any order: it is the same at every frame rate and at any scale.',
  ],
  ['Feet stay', 'What stands on the ground stays there, swords stay straight, skirts stay outside of legs.'],
  ['Your rig', 'Any skeleton, any clip, no set-up. limber finds out what is loose, what is hard and what stands.'],
  [
    'Plays anywhere',
    'Bake into bones and morph targets for any glTF player, or run it live in C, on a GPU, on the web.',
  ],
];

const body = `<main id="main">
<div class="hero">
<div class="pitch">
<h1>limber</h1>
<p class="lead">Cartoon motion for rigged characters.</p>
<p>Put in an ordinary skeletal animation. Get the same animation back with drag, follow-through, squash and stretch, flying skirts, smears and rubber bones.</p>
<p class="actions"><a class="button" href="studio/">Open the studio</a> <a class="quiet" href="docs/">Read the docs</a> <a class="quiet" href="gallery/">See everything move</a></p>
</div>
${show}
</div>
<section aria-labelledby="people"><h2 id="people">Who it is for</h2>
<div class="cards">
${PEOPLE.map(person).join('\n')}
</div></section>
<section aria-labelledby="rooms"><h2 id="rooms">What it does</h2>
<ul class="strip">
${ROOMS.map(room).join('\n')}
</ul>
<dl class="facts">
${FACTS.map(([title, words]) => `<div><dt>${title}</dt><dd>${words}</dd></div>`).join('\n')}
</dl></section>
<section class="start" aria-labelledby="start"><h2 id="start">Start</h2>
<p>From a bare Debian 12 with the repository. There is no release yet.</p>
<div class="code"><pre tabindex="0" aria-label="The first command"><code>${highlight('./dev run', 'sh')}</code></pre></div>
<p>It makes a sample character, applies a style and writes a <code>.glb</code>, a picture and a film. <a href="README.html">Read on</a>.</p>
</section>
</main>`;

export const home = (assets) => ({
  path: 'index.html',
  html: shell({
    path: 'index.html',
    title: TITLE,
    description: DESCRIPTION,
    body,
    assets,
    kind: 'front',
    scripts: ['page', 'home'],
  }),
});
