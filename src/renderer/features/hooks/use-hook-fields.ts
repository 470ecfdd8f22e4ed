/** Scan of a hook's payloads: their fields, and what changed in the last days. */
import { useEffect, useRef, useState } from 'react'
import { fieldChanges, type FieldChange } from '../../../shared/drift/field-changes.ts'
import { profiledCount } from '../../../shared/drift/field-profile.ts'
import type { EventProfile } from '../../../shared/drift/profile-schema.ts'
import { ProfileSum } from '../../../shared/drift/profile-sum.ts'
import { termOf } from '../../../shared/query/edit-query.ts'
import { scanAround } from '../../../shared/rpc/scan-fields.ts'
import { useData } from '../../core-data/use-read.ts'
import { settleCall } from '../../ui/call-problem.ts'

const DAY_MS = 86_400_000

export interface HookFields {
  readonly days: number
  readonly events: readonly EventProfile[]
  readonly changes: readonly FieldChange[]
  /** Deliveries read, before the last days and in them. */
  readonly before: number
  readonly since: number
}

export type FieldScanState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'reading'; readonly done: number }
  | { readonly phase: 'read'; readonly fields: HookFields }
  | { readonly phase: 'failed'; readonly problem: string }

/** Returns the scan of a hook's payloads, which ends with the component. */
export function useHookFields(hookId: string) {
  const { client } = useData()
  const [state, setState] = useState<FieldScanState>({ phase: 'idle' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function read(days: number, signal: AbortSignal): Promise<HookFields> {
    const time = new Date(Date.now() - days * DAY_MS).toISOString()
    const { before, since } = await scanAround(client, {
      query: termOf('hook', hookId),
      time,
      signal,
      progress: (done) => setState({ phase: 'reading', done }),
    })
    const sum = new ProfileSum()
    sum.add(before)
    sum.add(since)
    return {
      days,
      events: sum.total().events,
      changes: fieldChanges(before, since).changes,
      before: profiledCount(before),
      since: profiledCount(since),
    }
  }

  return {
    state,
    async start(days: number) {
      running.current?.abort()
      const stopping = new AbortController()
      running.current = stopping
      setState({ phase: 'reading', done: 0 })
      const result = await settleCall(read(days, stopping.signal))
      if (stopping.signal.aborted) return
      if (result.ok) setState({ phase: 'read', fields: result.value })
      else if (result.problem === null) setState({ phase: 'idle' })
      else setState({ phase: 'failed', problem: result.problem.message })
    },
    cancel() {
      running.current?.abort()
      setState({ phase: 'idle' })
    },
  }
}
