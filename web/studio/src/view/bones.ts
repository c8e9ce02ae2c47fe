// Draws joints and bones on top of the picture.
import { Vector3 } from 'three';
import type { App } from '../app';
import { color } from '../ui/theme';
import type { Overlay } from './viewer';

export interface BoneOptions {
  /** Draw all joints, or only the selected one. */
  all: boolean;
  hovered?: number;
}

export function drawBones(app: App, { context, project }: Overlay, { all, hovered }: BoneOptions): void {
  const session = app.session.value;
  const chosen = app.joint.value;
  if (!session || (!all && chosen < 0 && hovered === undefined)) return;
  const place = new Vector3();
  const accent = color('accent');
  const points = session.joints.map((joint) => project(joint.node.getWorldPosition(place)).clone());
  context.lineCap = 'round';
  for (const { index, parent } of session.joints) {
    const strong = index === chosen || index === hovered || parent === chosen;
    if (parent < 1 && session.joints[parent]?.depth === 0) continue;
    if (parent < 0 || (!all && !strong)) continue;
    line(context, points[parent], points[index], 4, 'rgba(10, 12, 18, 0.35)');
    line(context, points[parent], points[index], 1.75, strong ? accent : 'rgba(255, 255, 255, 0.85)');
  }
  for (const { index, depth } of session.joints) {
    const strong = index === chosen || index === hovered;
    if ((!all && !strong) || (depth === 0 && !strong)) continue;
    context.beginPath();
    context.arc(points[index].x, points[index].y, strong ? 5.5 : 3.5, 0, 2 * Math.PI);
    context.fillStyle = strong ? accent : 'rgba(255, 255, 255, 0.95)';
    context.strokeStyle = 'rgba(10, 12, 18, 0.55)';
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
  }
  if (chosen >= 0) label(context, session.joints[chosen].label, points[chosen]);
}

function line(context: CanvasRenderingContext2D, a: Vector3, b: Vector3, width: number, style: string): void {
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  context.lineWidth = width;
  context.strokeStyle = style;
  context.stroke();
}

/** A label next to a point. */
export function label(context: CanvasRenderingContext2D, text: string, at: Vector3): void {
  context.font = '500 11px system-ui, sans-serif';
  const width = context.measureText(text).width;
  context.fillStyle = 'rgba(18, 20, 26, 0.82)';
  context.beginPath();
  context.roundRect(at.x + 11, at.y - 10, width + 14, 20, 5);
  context.fill();
  context.fillStyle = '#fff';
  context.textBaseline = 'middle';
  context.fillText(text, at.x + 18, at.y + 0.5);
}
