// A WebM file (RFC 8794, RFC 9559) with one VP9 track. The list of key frames comes before the pictures.
import { colorCodes, float64, join, number, text } from './bytes';
import type { Bytes, Sample, Track } from './bytes';

const NANOSECONDS = 1e6; // of a unit of time

const ID = {
  head: 0x1a45dfa3,
  version: 0x4286,
  readVersion: 0x42f7,
  maxIdLength: 0x42f2,
  maxSizeLength: 0x42f3,
  docType: 0x4282,
  docVersion: 0x4287,
  docReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxer: 0x4d80,
  writer: 0x5741,
  tracks: 0x1654ae6b,
  entry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  lacing: 0x9c,
  trackType: 0x83,
  frameDuration: 0x23e383,
  codec: 0x86,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  color: 0x55b0,
  matrix: 0x55b1,
  range: 0x55b9,
  transfer: 0x55ba,
  primaries: 0x55bb,
  cues: 0x1c53bb6b,
  cue: 0xbb,
  cueTime: 0xb3,
  cuePlace: 0xb7,
  cueTrack: 0xf7,
  cueCluster: 0xf1,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  block: 0xa3,
} as const;

const idBytes = (id: number): Uint8Array => number(id, id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1);

/** Sizes have eight bytes, so that places are known before the contents are. */
const header = (id: number, size: number): Uint8Array => join([idBytes(id), [1], number(size, 7)]);

function element(id: number, ...parts: Bytes[]): Uint8Array {
  const body = join(parts);
  return join([header(id, body.length), body]);
}

const whole = (id: number, value: number): Uint8Array => element(id, number(value, 6));

function colorElement({ color }: Track): Uint8Array {
  const codes = colorCodes(color);
  if (!codes) return new Uint8Array();
  const [primaries, transfer, matrix] = codes;
  return element(
    ID.color,
    whole(ID.matrix, matrix),
    whole(ID.range, color?.fullRange ? 2 : 1),
    whole(ID.transfer, transfer),
    whole(ID.primaries, primaries),
  );
}

function description(track: Track, codec: string): Uint8Array {
  const info = element(
    ID.info,
    whole(ID.timestampScale, NANOSECONDS),
    element(ID.duration, float64((track.samples.length / track.fps) * (1e9 / NANOSECONDS))),
    element(ID.muxer, text('limber')),
    element(ID.writer, text('limber studio')),
  );
  const entry = element(
    ID.entry,
    whole(ID.trackNumber, 1),
    whole(ID.trackUid, 1),
    whole(ID.lacing, 0),
    whole(ID.trackType, 1),
    whole(ID.frameDuration, Math.round(1e9 / track.fps)),
    element(ID.codec, text(codec)),
    element(ID.video, whole(ID.width, track.width), whole(ID.height, track.height), colorElement(track)),
  );
  return join([info, element(ID.tracks, entry)]);
}

interface Cluster {
  time: number;
  parts: Uint8Array[];
  size: number;
}

/** A cluster starts at every key frame: times of its blocks are relative, in 16 bits. */
function clusterOf(samples: readonly Sample[], timeOf: (sample: Sample) => number): Cluster {
  const time = timeOf(samples[0]);
  const parts = [whole(ID.timestamp, time)];
  for (const sample of samples) {
    parts.push(
      join([
        header(ID.block, 4 + sample.bytes.length),
        [0x81],
        number(timeOf(sample) - time, 2),
        [sample.key ? 0x80 : 0],
      ]),
      sample.bytes,
    );
  }
  return { time, parts, size: parts.reduce((sum, part) => sum + part.length, 0) };
}

function clustersOf({ samples, fps }: Track): Cluster[] {
  const starts = samples.flatMap((sample, i) => (sample.key ? [i] : []));
  return starts.map((start, i) =>
    clusterOf(samples.slice(start, starts[i + 1]), (sample) => Math.round((sample.frame / fps) * (1e9 / NANOSECONDS))),
  );
}

function cuesOf(clusters: readonly Cluster[], first: number): Uint8Array {
  let at = first;
  return element(
    ID.cues,
    ...clusters.map(({ time, size }) => {
      const place = element(ID.cuePlace, whole(ID.cueTrack, 1), whole(ID.cueCluster, at));
      at += header(ID.cluster, size).length + size;
      return element(ID.cue, whole(ID.cueTime, time), place);
    }),
  );
}

export function webmOf(track: Track, codec = 'V_VP9'): Blob {
  const head = element(
    ID.head,
    whole(ID.version, 1),
    whole(ID.readVersion, 1),
    whole(ID.maxIdLength, 4),
    whole(ID.maxSizeLength, 8),
    element(ID.docType, text('webm')),
    whole(ID.docVersion, 4),
    whole(ID.docReadVersion, 2),
  );
  const clusters = clustersOf(track);
  const about = description(track, codec);
  const cues = cuesOf(clusters, about.length + cuesOf(clusters, 0).length);
  const pictures = clusters.flatMap(({ parts, size }) => [header(ID.cluster, size), ...parts]);
  const size = [about, cues, ...pictures].reduce((sum, part) => sum + part.length, 0);
  return new Blob([head, header(ID.segment, size), about, cues, ...pictures], { type: 'video/webm' });
}
