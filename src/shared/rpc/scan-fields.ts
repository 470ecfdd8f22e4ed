/** Profiles the fields of matching deliveries in parts, with progress and cancellation. */
import { PROFILED_DELIVERIES } from '../contract/nouns/deliveries.ts'
import type { Profile } from '../drift/profile-schema.ts'
import { ProfileSum } from '../drift/profile-sum.ts'
import { joinQueries } from '../query/edit-query.ts'
import type { Client } from './client.ts'
import { readSeqsInParts } from './delivery-seqs.ts'

export interface FieldScan {
  readonly query: string
  readonly signal: AbortSignal
  /** Called with the deliveries profiled so far. */
  progress(done: number): void
}

/** Rejects with `CANCELLED` once the signal aborts. */
export async function scanFields(
  client: Client,
  { query, signal, progress }: FieldScan,
): Promise<Profile> {
  const sum = new ProfileSum()
  let done = 0
  for await (const { seqs } of readSeqsInParts(client, { query, descending: false }, signal))
    for (let at = 0; at < (seqs?.length ?? 0); at += PROFILED_DELIVERIES) {
      const part = seqs?.slice(at, at + PROFILED_DELIVERIES) ?? []
      sum.add(await client.call('fields.profile', { seqs: part }, { signal }))
      done += part.length
      progress(done)
    }
  return sum.total()
}

/** Profiles deliveries received before a time, and since then. */
export async function scanAround(
  client: Client,
  { query, signal, progress, time }: FieldScan & { readonly time: string },
): Promise<{ readonly before: Profile; readonly since: Profile }> {
  let earlier = 0
  const before = await scanFields(client, {
    query: joinQueries(query, `before:${time}`),
    signal,
    progress(done) {
      earlier = done
      progress(done)
    },
  })
  const since = await scanFields(client, {
    query: joinQueries(query, `after:${time}`),
    signal,
    progress: (done) => progress(earlier + done),
  })
  return { before, since }
}
