import type { Fold } from './folds.ts'

/** A folded stretch, as a share of the width. */
export type Gap = { fold: Fold; from: number; to: number }

/** Times to places (shares of the width) and back: linear but for the gaps, each as wide as any other. */
export type Axis = {
  place: (at: number) => number
  timeAt: (place: number) => number
  gaps: readonly Gap[]
  ticks: readonly { at: number; place: number }[]
}

export type AxisOptions = {
  /** The stretch of time that is shown. */
  from: number
  to: number
  /** Those that are not opened. */
  folds: readonly Fold[]
  /** In pixels. */
  width: number
}

const GAP_PX = { min: 28, max: 96, share: 0.08 }
const TICK_PX = 76
const STEPS = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 43_200,
  86_400,
]

type Piece = { from: number; to: number; place: number; share: number; fold: Fold | null }

export function axisOf({ from, to, folds, width }: AxisOptions): Axis {
  const shown = folds
    .map((fold) => ({ fold, from: Math.max(fold.from, from), to: Math.min(fold.to, to) }))
    .filter((one) => one.to > one.from)
  const gapShare = shown.length === 0 ? 0 : Math.min(gapPx(width) / Math.max(width, 1), 0.5 / shown.length)
  const linear = Math.max(0, to - from - shown.reduce((sum, one) => sum + one.to - one.from, 0))
  const pieces: Piece[] = []
  let [at, place] = [from, 0]
  const add = (end: number, share: number, fold: Fold | null) => {
    pieces.push({ from: at, to: end, place, share, fold })
    ;[at, place] = [end, place + share]
  }
  const perMs = linear > 0 ? (1 - gapShare * shown.length) / linear : 0
  for (const one of shown) {
    add(one.from, (one.from - at) * perMs, null)
    add(one.to, gapShare, one.fold)
  }
  add(to, (to - at) * perMs, null)
  return {
    place: (time) => placeOf(pieces, time),
    timeAt: (share) => timeOf(pieces, share),
    gaps: pieces.flatMap((piece) =>
      piece.fold ? [{ fold: piece.fold, from: piece.place, to: piece.place + piece.share }] : [],
    ),
    ticks: ticksOf(pieces, perMs * width),
  }
}

function gapPx(width: number): number {
  return Math.min(GAP_PX.max, Math.max(GAP_PX.min, GAP_PX.share * width))
}

function placeOf(pieces: readonly Piece[], time: number): number {
  const piece = pieces.find(({ to }) => time <= to) ?? pieces.at(-1)!
  const part = piece.to > piece.from ? (time - piece.from) / (piece.to - piece.from) : 0
  return piece.place + Math.min(1, Math.max(0, part)) * piece.share
}

function timeOf(pieces: readonly Piece[], share: number): number {
  const piece = pieces.find(({ place, share: its }) => share <= place + its && its > 0) ?? pieces.at(-1)!
  const part = piece.share > 0 ? (share - piece.place) / piece.share : 0
  return piece.from + Math.min(1, Math.max(0, part)) * (piece.to - piece.from)
}

/** Round times, none inside a gap, none too near the one before. */
function ticksOf(pieces: readonly Piece[], pxPerMs: number): { at: number; place: number }[] {
  if (pxPerMs <= 0) return [{ at: pieces[0]!.from, place: 0 }]
  const step = (STEPS.find((seconds) => seconds * 1_000 * pxPerMs >= TICK_PX) ?? STEPS.at(-1)!) * 1_000
  const room = TICK_PX / pxPerMs / Math.max(1e-9, linearTime(pieces))
  const ticks: { at: number; place: number }[] = []
  for (const piece of pieces) {
    if (piece.fold) continue
    for (let at = Math.ceil(piece.from / step) * step; at <= piece.to; at += step) {
      const place = placeOf([piece], at)
      const last = ticks.at(-1)
      if (!last || place - last.place >= 0.9 * room) ticks.push({ at, place })
    }
  }
  return ticks
}

function linearTime(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { from, to, fold }) => (fold ? sum : sum + to - from), 0)
}
