import { ROOT_LOOP } from '@parley/protocol'
import type { Bar } from './bars.ts'

/** Bars of one kind of worker. Those of a track never overlap; what works at the same time has tracks of its own. */
export type Lane = {
  id: string
  kind: 'server' | 'model' | 'tools' | 'people' | 'agent'
  /** Of a sub-agent: what it was asked for. */
  name: string | null
  tracks: readonly (readonly Bar[])[]
}

/** Always the first four; then one for each sub-agent, in order of appearance. */
export function lanesOf({
  bars,
  agents,
}: {
  bars: readonly Bar[]
  agents: ReadonlyMap<string, string | null>
}): Lane[] {
  const lane = (kind: Lane['kind'], is: (bar: Bar) => boolean): Lane => ({
    ...{ id: kind, kind, name: null },
    tracks: tracksOf(bars.filter(is)),
  })
  const isOf = (loop_id: string) => (bar: Bar) => 'loop_id' in bar && bar.loop_id === loop_id
  return [
    lane('server', ({ kind }) => kind === 'owner' || kind === 'nobody'),
    lane('model', (bar) => bar.kind === 'model' && bar.loop_id === ROOT_LOOP),
    lane('tools', (bar) => bar.kind === 'tool' && bar.loop_id === ROOT_LOOP),
    lane('people', ({ kind }) => kind === 'person' || kind === 'tick'),
    ...[...agents].map(([loop_id, name]) => ({ ...lane('agent', isOf(loop_id)), id: `agent ${loop_id}`, name })),
  ]
}

/** Each bar on the first track that is free. */
function tracksOf(bars: readonly Bar[]): Bar[][] {
  const tracks: Bar[][] = []
  for (const bar of bars.toSorted((a, b) => a.from - b.from || a.first - b.first)) {
    const free = tracks.find((track) => track.at(-1)!.to <= bar.from)
    if (free) free.push(bar)
    else tracks.push([bar])
  }
  return tracks
}
