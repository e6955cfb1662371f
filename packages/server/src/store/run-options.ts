import type { Mode } from '@parley/protocol'
import type { JsonObject } from '../ports.ts'
import { readStored } from './stored-json.ts'
import { readStoredModelId } from './stored-model-id.ts'

/** An instance claims only runs whose options and journal it can read. */
export const RUN_FORMAT = 5
/** Runs that nobody has agreed to beforehand, also in sessions that were compacted or rewound. */
export const FORMAT_WITHOUT_CONSENT = 4
/** Runs in sessions that were never compacted or rewound, under terms of a face or with a model of the database. */
const FORMAT_WITHOUT_COMPACTION = 3
/** Runs under nothing but their agent's terms, with a model of the configuration: servers that know no others may carry them on. */
const FORMAT_WITHOUT_TERMS = 2
/** Runs of the configuration itself are what they were before there were agents: servers of that time may carry them on. */
const FORMAT_WITHOUT_AGENT = 1

/** What a request asked of its run; stored with it, so that any instance can carry it on. */
export type RunOptions = {
  model: string
  mode: Mode
  headless: boolean
  output_schema: JsonObject | null
  /** `compact`: makes room; `restore`: puts files back. Both talk to nobody. */
  kind?: 'compact' | 'restore'
  /** Of a run that puts files back. */
  restore?: RestoreOrder
} & RunTerms

/** Where the files of a session go back to, and in the moment that they are there, its conversation. */
export type RestoreOrder = {
  /** How they were before the user's turn of this number, or when a branch was left. */
  to: { before: number } | { name: string }
  change: BranchChange | null
}

/** To just before a user's message, on a new branch; or to the branch that the message lies on. */
export type BranchChange = { type: 'rewind' | 'switch'; turn_id: string; branch_id: string }

/** What a face asks of its runs, beyond what the session's agent says. */
export type RunTerms = {
  /** Model calls that the main agent may make for one request, in place of the configuration's; the agent's own limit holds as well. */
  max_turns?: number
  /** `true`: at that limit it is asked once more, without tools, for what it has found. */
  closes?: boolean
  /** `false`: the model cannot ask questions, as nobody could answer them. Consent is asked for all the same. */
  asks?: boolean
  /** The result of a call that a stop cut off, in the words of the face's protocol. */
  interrupted?: string
  /** How long the run may take; then it is stopped. Waiting for a person is no run. */
  max_ms?: number
  /** Of an answer: the call that it refuses ends what was asked for. Nothing more is done, and no model asked. */
  refusal_ends?: boolean
  /** Of a headless run: whoever wants it has agreed beforehand to what would ask. */
  has_consent?: boolean
  /** Turns that the main agent made for the same request before it had to wait, the one that goes on included. */
  turns_before?: number
}

/**
 * What an instance must have to carry a run on: its model, its agent, and the tools that are not everybody's. Tools that
 * every server has are the format's business.
 */
export type RunNeeds = { model: string; tools?: string[]; agent?: RunAgent }

/** A version of an agent: whoever lacks it gets it from the database. */
export type RunAgent = { name: string; digest: string }

/** Of a run in a session that was never compacted or rewound. */
export function formatOf({ agent, model }: RunNeeds, { max_turns, asks, kind, has_consent }: RunOptions): number {
  if (has_consent) return RUN_FORMAT
  if (kind) return FORMAT_WITHOUT_CONSENT
  if (max_turns !== undefined || asks !== undefined || readStoredModelId(model)) return FORMAT_WITHOUT_COMPACTION
  return agent ? FORMAT_WITHOUT_TERMS : FORMAT_WITHOUT_AGENT
}

/** As they were stored; `undefined` when they cannot be read. */
export function readOptions(text: string): RunOptions | undefined {
  const options = readStored(text) as RunOptions | undefined
  return typeof options?.model === 'string' ? options : undefined
}

export function readNeeds(text: string): RunNeeds | undefined {
  const needs = readStored(text) as RunNeeds | undefined
  return typeof needs?.model === 'string' && Array.isArray(needs.tools ?? []) ? needs : undefined
}
