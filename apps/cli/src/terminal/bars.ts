import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import type { Gauge } from './progress-view.js'

export interface ProgressDisplay {
  show(state: string, gauges: readonly Gauge[]): void
  close(): void
}

const LINE_EVERY_MS = 2_000

/** Bars on a terminal; elsewhere a line whenever the state changes, and every 2 s. */
export function createDisplay(stream: NodeJS.WriteStream): ProgressDisplay {
  return stream.isTTY ? createBars(stream) : createLines(stream)
}

function createBars(stream: NodeJS.WriteStream): ProgressDisplay {
  const format = '{name} {bar} {value}/{total} {facts}'
  const multi = new MultiBar({ stream, format, clearOnComplete: false, hideCursor: true, barsize: 24 }, Presets.rect)
  const bars = new Map<string, SingleBar>()
  return {
    show: (_state, gauges) => {
      for (const { name, done, total, facts } of gauges) {
        const payload = { name: name.padEnd(8), facts }
        const bar = bars.get(name) ?? multi.create(total, 0, payload)
        bars.set(name, bar)
        bar.setTotal(total)
        bar.update(done, payload)
      }
    },
    close: () => multi.stop(),
  }
}

function createLines(stream: NodeJS.WriteStream): ProgressDisplay {
  let shown = ''
  let shownState = ''
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show: (state, gauges) => {
      const parts = gauges.map(({ name, done, total, facts }) => `${name} ${done}/${total} ${facts}`.trimEnd())
      const line = [state, ...parts].join(' | ')
      const isDue = state !== shownState || performance.now() - shownAt >= LINE_EVERY_MS
      if (!isDue || line === shown) return
      ;[shown, shownState, shownAt] = [line, state, performance.now()]
      stream.write(`${line}\n`)
    },
    close: () => {},
  }
}
