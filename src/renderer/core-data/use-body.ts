/** Stored bodies, read in pieces: the start, or all of it. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { concatenated, fromBase64, type LoadedBytes } from './bytes.ts'
import { isQuiet, sentenceOf } from './act.ts'
import type { Data } from './data.ts'
import { useData, useRead } from './use-read.ts'

/** Command for a body as received, or with its content encodings removed. */
export type BodyCommand = 'deliveries.body' | 'bodies.decoded'

/** Most bytes that one call returns. */
const PIECE = 1_048_576

/** Reads all pieces, or the first `most` bytes. Rejects if a call fails or is aborted. */
export async function readBodyPieces(
  client: Client,
  command: BodyCommand,
  id: string,
  { most = Infinity, signal }: { readonly most?: number; readonly signal?: AbortSignal } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  for (let offset = 0; ;) {
    const length = Math.min(PIECE, most - offset)
    const { base64, size } = await client.call(
      command,
      { id, offset, length },
      signal && { signal },
    )
    const piece = fromBase64(base64)
    pieces.push(piece)
    offset += piece.length
    if (piece.length === 0 || offset >= Math.min(size, most)) return concatenated(pieces)
  }
}

export function wholeBodyQuery({ client }: Pick<Data, 'client'>, command: BodyCommand, id: string) {
  return queryOptions({
    queryKey: ['body.whole', command, id],
    queryFn: ({ signal }) => readBodyPieces(client, command, id, { signal }),
    staleTime: Infinity,
  })
}

/** Returns a whole body; null while it is read, and without an id. */
export function useWholeBody(command: BodyCommand, id: string | null) {
  const data = useData()
  const query = { ...wholeBodyQuery(data, command, id ?? ''), enabled: id !== null }
  const { data: bytes, error, refetch } = useQuery(query, data.queries)
  return {
    bytes: bytes ?? null,
    problem: bytes !== undefined || error === null || isQuiet(error) ? null : sentenceOf(error),
    readAgain: () => void refetch(),
  }
}

/**
 * Returns the body read so far: its first piece, or all with `isWhole`; null before, and without an
 * id.
 */
export function useBody<C extends BodyCommand>(
  command: C,
  id: string | null,
  isWhole: boolean,
): {
  readonly output: OutputOf<C> | undefined
  readonly body: LoadedBytes | null
  readonly problem: string | null
} {
  const data = useData()
  const { output, problem } = useRead<BodyCommand>(command, id === null ? null : { id, offset: 0 })
  const start = useMemo(() => (output === undefined ? null : fromBase64(output.base64)), [output])
  const wants = isWhole && start !== null && start.length < (output?.size ?? 0)
  const all = useQuery({ ...wholeBodyQuery(data, command, id ?? ''), enabled: wants }, data.queries)
  const bytes = (wants ? all.data : undefined) ?? start
  return {
    output: output as OutputOf<C> | undefined,
    body:
      bytes === null || output === undefined
        ? null
        : { bytes, size: output.size, loading: wants && all.isFetching },
    problem: wants && all.error !== null && !isQuiet(all.error) ? sentenceOf(all.error) : problem,
  }
}
