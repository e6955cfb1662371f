import type { Format } from '../../texts/format.ts'
import type { RowDetail, RowWords } from '../../timeline/rows.ts'
import type { RunWords, ShownStatus } from './words.ts'

/** What a row of the ledger says. */
export function rowText(row: RowWords, words: RunWords, format: Format): string {
  const { rows } = words
  switch (row.key) {
    case 'model_call':
      return rows.model_call(row.call)
    case 'text':
    case 'thinking':
      return rows[row.key](format.number(row.characters))
    case 'answer':
      return rows.answer(row.calls)
    case 'tools':
      return row.names.join(', ')
    case 'tool_claim':
      return rows.claim(row.name, row.attempt)
    case 'tool_result':
      return rows.result(row.name, row.outcome === null ? words.underWay : words.toolOutcomes[row.outcome])
    case 'asked':
      return rows.asked(row.name)
    case 'crash':
      return rows.crash(row.instance ?? words.somebody)
    case 'take_over':
    case 'hand_back': {
      const taken = rows[row.key](row.instance ?? words.somebody)
      return row.skipped ? `${taken}; ${rows.skipped(...numbers(row.skipped, format))}` : taken
    }
    case 'half_closed':
      return rows.half_closed(row.reason)
    case 'turn_end':
      return rows.turn_end
    case 'ended':
      return row.isWaiting ? rows.waits : rows.ended(words.status[row.status as ShownStatus] ?? row.status)
    case 'other':
      return words.others[row.type] ?? row.type
    default:
      return rows[row.key]
  }
}

export function detailText(detail: RowDetail | null, words: RunWords, format: Format): string {
  switch (detail?.key) {
    case 'model':
      return detail.model
    case 'same_context':
      return words.details.same_context(detail.call)
    case 'events':
      return words.details.events(detail.count)
    case 'tokens':
      return `${format.number(detail.input)} → ${format.number(detail.output)}`
    case 'duration':
      return format.duration(detail.ms)
    case 'silent':
      return words.details.silent(format.duration(detail.ms))
    case 'summary':
    case 'reason':
      return detail.text
    case 'epoch':
      return words.details.epoch(detail.epoch)
    case 'risk':
      return words.details.risk[detail.risk] ?? detail.risk
    default:
      return ''
  }
}

function numbers([from, to]: readonly [number, number], format: Format): [string, string] {
  return [format.number(from), format.number(to)]
}
