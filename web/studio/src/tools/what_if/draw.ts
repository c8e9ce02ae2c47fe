// Draws arrows and rings on the overlay.
import type { Vector3 } from 'three';

type Context = CanvasRenderingContext2D;
const SHADE = 'rgba(10, 12, 18, 0.45)';

function twice(context: Context, tint: string, width: number): void {
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.lineWidth = width + 2;
  context.strokeStyle = SHADE;
  context.stroke();
  context.lineWidth = width;
  context.strokeStyle = tint;
  context.stroke();
}

function head(context: Context, x: number, y: number, angle: number, tint: string, size: number): void {
  context.beginPath();
  context.moveTo(x + size * Math.cos(angle), y + size * Math.sin(angle));
  for (const turn of [2.5, -2.5]) context.lineTo(x + size * Math.cos(angle + turn), y + size * Math.sin(angle + turn));
  context.closePath();
  context.lineWidth = 2;
  context.strokeStyle = SHADE;
  context.stroke();
  context.fillStyle = tint;
  context.fill();
}

export function arrow(context: Context, from: Vector3, to: Vector3, tint: string, width: number): void {
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  twice(context, tint, width);
  head(context, to.x, to.y, Math.atan2(to.y - from.y, to.x - from.x), tint, 6 + width);
}

export function arc(
  context: Context,
  at: Vector3,
  radius: number,
  from: number,
  to: number,
  tint: string,
  width: number,
  opacity: number,
  pointed = false,
): void {
  context.globalAlpha = opacity;
  context.beginPath();
  context.arc(at.x, at.y, radius, Math.min(from, to), Math.max(from, Math.min(to, from + 2 * Math.PI)));
  twice(context, tint, width);
  context.globalAlpha = 1;
  if (pointed)
    head(
      context,
      at.x + radius * Math.cos(to),
      at.y + radius * Math.sin(to),
      to + (to > from ? Math.PI / 2 : -Math.PI / 2),
      tint,
      5 + width,
    );
}

export function ellipse(context: Context, points: readonly Vector3[], tint: string, width: number): void {
  context.beginPath();
  points.forEach((point, i) => (i ? context.lineTo(point.x, point.y) : context.moveTo(point.x, point.y)));
  twice(context, tint, width);
}

export function knob(context: Context, x: number, y: number, tint: string): void {
  context.beginPath();
  context.arc(x, y, 4.5, 0, 2 * Math.PI);
  context.fillStyle = tint;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = '#fff';
  context.stroke();
}
