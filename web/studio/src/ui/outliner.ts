// The parts of the character: a tree of joints, meshes and layers.
import type { App } from '../app';
import type { JointNode, Session } from '../core/session';
import { h, svg } from './dom';
import { ICONS } from './icons';
import { section, segmented, toggle } from './widgets';

const INDENT = 12;

function jointRow(app: App, session: Session, joint: JointNode): HTMLElement {
  const children = session.joints.some((one) => one.parent === joint.index);
  return h(
    'div',
    {
      class: 'tree-row',
      role: 'treeitem',
      tabindex: '-1',
      'aria-level': joint.depth + 1,
      'data-joint': joint.index,
      style: `padding-left:${8 + INDENT * Math.min(joint.depth, 8)}px`,
      onclick: () => (app.joint.value = joint.index),
    },
    h('span', { class: children ? 'tree-branch' : 'tree-leaf' }),
    h(
      'span',
      { class: 'tree-name', title: joint.label === joint.name ? undefined : joint.name },
      joint.label || (joint.depth ? `joint ${joint.index}` : 'Character'),
    ),
  );
}

function jointTree(app: App): HTMLElement {
  const tree = h('div', { class: 'tree', role: 'tree', 'aria-label': 'Joints' });
  const rows = () => [...tree.querySelectorAll<HTMLElement>('.tree-row:not([hidden])')];
  app.session.watch((session) => {
    tree.replaceChildren(...(session?.joints ?? []).map((joint) => jointRow(app, session!, joint)));
    rows()[0]?.setAttribute('tabindex', '0');
  });
  app.joint.watch((index) => {
    for (const row of rows()) {
      const chosen = Number(row.dataset.joint) === index;
      row.setAttribute('aria-selected', String(chosen));
      if (chosen) row.scrollIntoView({ block: 'nearest' });
    }
  });
  tree.addEventListener('keydown', (event) => {
    const all = rows();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next =
      event.key === 'ArrowDown'
        ? at + 1
        : event.key === 'ArrowUp'
          ? at - 1
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? all.length - 1
              : undefined;
    if (next === undefined && event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    const row = all[Math.min(Math.max(next ?? at, 0), all.length - 1)];
    row?.focus();
    if (row) app.joint.value = Number(row.dataset.joint);
  });
  return tree;
}

function filterField(tree: HTMLElement): HTMLElement {
  const input = h('input', {
    type: 'search',
    class: 'search',
    placeholder: 'Find a joint',
    'aria-label': 'Find a joint',
    spellcheck: 'false',
  });
  input.addEventListener('input', () => {
    const word = input.value.trim().toLowerCase();
    for (const row of tree.querySelectorAll<HTMLElement>('.tree-row'))
      row.hidden = word !== '' && !row.textContent!.toLowerCase().includes(word);
  });
  return input;
}

/** The colliders of the style or, if it has none, those that "auto" would use. */
function colliderSection(app: App): HTMLElement {
  const wires = toggle('Show colliders', false, (on) => (app.showColliders.value = on));
  const list = h('ul', { class: 'plain-list' });
  wires.dataset.tip = 'Show colliders, which skin stays out of  ·  Shift + B';
  const show = () => {
    const session = app.session.value;
    const on = app.showColliders.value && session !== undefined;
    wires.checked = app.showColliders.value;
    const rows = (on ? session.toon.colliders() : []).map(({ shape, joint }) =>
      h('li', {}, h('span', {}, session!.joints[joint]?.label ?? 'world'), h('small', {}, shape)),
    );
    list.replaceChildren(...(rows.length ? rows : [h('li', { class: 'quiet' }, on ? 'none' : 'not shown')]));
  };
  app.showColliders.watch(show);
  app.session.listen(show);
  app.store.document.listen((now, before) => now?.style !== before?.style && show());
  return section('Colliders', [list], { open: false, head: [wires], class: 'colliders' });
}

/** A click hides a mesh in the view: of five swords, four are in the way. */
function meshRow(app: App, session: Session, index: number, name: string, vertices: number): HTMLElement {
  const mesh = session.toon.meshes[index];
  const title = session.toon.meshes[index].name || name || 'mesh';
  const row: HTMLElement = h(
    'button',
    {
      type: 'button',
      class: 'mesh-row',
      'data-tip': 'Show or hide it in the view',
      onclick: () => {
        session.setHidden(mesh, mesh.visible);
        row.setAttribute('aria-pressed', String(mesh.visible));
        app.viewer.invalidate();
      },
    },
    svg(ICONS.eye),
    h('span', {}, title),
    h('small', {}, vertices.toLocaleString('en')),
  );
  row.setAttribute('aria-pressed', String(mesh.visible));
  return h('li', {}, row);
}

export function outliner(app: App): HTMLElement {
  const tree = jointTree(app);
  const bones = toggle('Show bones', false, (on) => (app.showBones.value = on));
  app.showBones.watch((on) => (bones.checked = on));
  bones.dataset.tip = 'Show bones on top of the character  ·  B';
  const arrows = segmented('Arrows of the joints', app.motionView, [
    { value: 'off', text: 'None', tip: 'No arrows' },
    { value: 'velocity', text: 'Velocity', tip: 'Velocity: how far joints move and turn in a tenth of a second' },
    { value: 'acceleration', text: 'Acceleration', tip: 'Acceleration: the velocity that joints gain in that time' },
  ]);
  const meshes = h('ul', { class: 'plain-list' });
  const layers = h('ul', { class: 'plain-list' });
  const show = () => {
    const session = app.session.value;
    if (!session) return;
    meshes.replaceChildren(
      ...session.character.meshes.map(({ name, vertexCount }, i) => meshRow(app, session, i, name, vertexCount)),
    );
    const names = session.layerNames;
    layers.replaceChildren(
      ...(names.length
        ? names.map((name) => h('li', {}, h('span', {}, name)))
        : [h('li', { class: 'quiet' }, 'none in this file')]),
    );
  };
  app.session.watch(show);
  app.store.document.listen((now, before) => now?.layers !== before?.layers && show());
  return h(
    'div',
    { class: 'outliner' },
    section('Joints', [filterField(tree), arrows, tree], { head: [bones], class: 'grow' }),
    section('Layers', [layers], { open: true }),
    colliderSection(app),
    section('Meshes', [meshes], { open: true }),
  );
}
