#!/usr/bin/env node
// node run.mjs COMPARE_TAIL [--doc]: measures limber and what people use today on one tail, and prints the tables.
//
// --doc writes them into docs/compare.md and draws its picture; --check fails where another tool is missing from what was
// measured, where limber's differences are not the smallest, or where the page has others. ./dev bench --compare installs
// what is needed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Report, temporaryFolder } from '../../tests/js/run.mjs';
import { checkPage } from './check_page.mjs';
import { allRuns, curves, measure } from './runs.mjs';
import * as springs from './springs.mjs';
import { page, parts, TOOLS } from './tables.mjs';
import * as tools from './tools.mjs';

const [program, option] = process.argv.slice(2);
const HERE = path.dirname(fileURLToPath(import.meta.url));
const PASSES = 6;
const DOCS = path.join(HERE, '../../docs');

function version(command, ...args) {
  return spawnSync(command, args, { encoding: 'utf8' }).stdout?.match(/\d+\.\d+(\.\d+)?/)?.[0] ?? '?';
}

function machine() {
  const { model } = os.cpus()[0];
  const named = spawnSync('lscpu', { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }).stdout?.match(/Model name:\s*(.*)/)?.[1];
  return `${named ?? model} (${process.arch}, one core used)`;
}

function madeBy() {
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(HERE, 'package.json'), 'utf8'));
  const list = Object.entries(dependencies).map(([name, number]) => `${name} ${number}`);
  const date = new Date().toISOString().slice(0, 10);
  return `Measured on ${date}, ${machine()}, with ${list.join(', ')}, node ${process.versions.node}, Godot ${version('godot3-server', '--version')} and Blender ${version('blender', '--version')}.`;
}

const all = {
  clip: { tool: tools.limber(program, 'clip'), settings: tools.SETTINGS.limber },
  live: { tool: tools.limber(program, 'live'), settings: tools.SETTINGS.limber },
  vrm: { tool: springs.vrm, settings: springs.VRM_SETTINGS },
  vrmSteps: { tool: springs.vrmSteps, settings: { ...springs.VRM_SETTINGS, step: '1/60 s' } },
  wiggle: { tool: springs.wiggle, settings: springs.WIGGLE_SETTINGS },
  godot: { tool: tools.godot(), settings: tools.SETTINGS.godot },
  blender: { tool: tools.blender(), settings: tools.SETTINGS.blender },
};

const missing = Object.keys(all).filter((key) => !all[key].tool);
if (missing.length) {
  console.error(`compare: not installed: ${missing.map((key) => TOOLS[key]).join(', ')}; ./dev bench --compare installs them`);
  process.exit(77);
}

const runs = allRuns();
// In turn and several times, so that a busy moment of the machine is nobody's; the best of each counts.
function costs() {
  const best = {};
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [key, { tool }] of Object.entries(all)) {
      const cost = tool.cost();
      for (const name of Object.keys(cost)) cost[name] = Math.min(cost[name], best[key]?.[name] ?? Infinity);
      best[key] = cost;
    }
  }
  return best;
}

const results = {};
const drawn = {};
for (const [key, { tool, settings }] of Object.entries(all)) {
  const tips = tool.play(runs);
  results[key] = { measured: measure(tips), settings };
  drawn[key] = { name: TOOLS[key], ...curves(tips) };
}
const measuredCosts = costs();
for (const key of Object.keys(results)) results[key].cost = measuredCosts[key];
const text = page(results, madeBy());
console.log(text);

function writePage() {
  const file = path.join(DOCS, 'compare.md');
  const { before, after } = parts(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, before + text + after);
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, 'curves.json'), JSON.stringify([drawn.godot, drawn.vrm, drawn.clip]));
  const picture = path.join(DOCS, 'images/compare.png');
  const done = spawnSync('/usr/bin/python3', [path.join(HERE, 'draw.py'), path.join(folder, 'curves.json'), picture], { stdio: 'inherit' });
  if (done.status) process.exit(1);
  console.error(`wrote ${path.relative(process.cwd(), file)} and ${path.relative(process.cwd(), picture)}`);
}

function checkAll() {
  const report = new Report();
  const ours = results.clip.measured;
  for (const [key, { measured }] of Object.entries(results)) {
    if (key === 'clip') continue;
    report.expect(`${TOOLS[key]} swings`, measured.swing > 0.2 && measured.swing < 2, String(measured.swing));
    report.expect(`${TOOLS[key]} is farther off than limber where it starts`, !(measured.jump <= ours.jump));
  }
  checkPage(report, text, fs.readFileSync(path.join(DOCS, 'compare.md'), 'utf8'));
  report.end();
}

if (option === '--doc') writePage();
if (option === '--check') checkAll();
