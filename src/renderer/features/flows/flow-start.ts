/** What a run is begun with, and what it is refused for until it is agreed to: a host that is not this machine, a live environment. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { FlowSpeed } from '../../../shared/model/flow-run.ts'

/** A built-in flow by its name, or the text of a file. */
export type WhichFlow = { readonly name: string } | { readonly source: { readonly text: string; readonly file: string } }

/** The form of a run; nothing of it is kept once the window is closed. */
export interface FlowDraft {
  /** Empty: the sandbox. */
  readonly environment: string
  readonly url: string
  readonly secret: string
  readonly registeredUrl: string
  readonly speed: FlowSpeed
}

export const NO_DRAFT: FlowDraft = { environment: '', url: '', secret: '', registeredUrl: '', speed: 'max' }

export interface FlowAsked {
  readonly paused: boolean
  readonly from: number
  readonly allowHosts: readonly string[]
  readonly live: boolean
}

export type FlowQuestion =
  { readonly about: 'host'; readonly host: string } | { readonly about: 'live'; readonly environment: string }

export function inputOf(which: WhichFlow, draft: FlowDraft, asked: FlowAsked): InputOf<'flows.start'> {
  const url = draft.url.trim()
  const registeredUrl = draft.registeredUrl.trim()
  return {
    ...which,
    ...(draft.environment === '' ? {} : { environment: draft.environment }),
    speed: draft.speed,
    handler: url === '' ? null : { url, secret: draft.secret, registeredUrl: registeredUrl === '' ? null : registeredUrl },
    paused: asked.paused,
    from: asked.from,
    allowHosts: [...asked.allowHosts],
    live: asked.live,
  }
}

/** What a refusal asks; null where it asks nothing. */
export function questionOf(error: unknown): FlowQuestion | null {
  if (!(error instanceof AppError) || typeof error.details !== 'object' || error.details === null) return null
  const { host, environment } = error.details as { readonly host?: unknown; readonly environment?: unknown }
  if (error.code === 'TARGET_NOT_ALLOWED' && typeof host === 'string') return { about: 'host', host }
  if (error.code === 'CONFIRMATION_REQUIRED' && typeof environment === 'string') return { about: 'live', environment }
  return null
}
