/** Values of bodies at JSON paths, read for the rows on screen. */
import { contentEncodings, encodingInBytes } from '../../shared/body/encoding.ts'
import { textsAtPaths } from '../../shared/body/path-values.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { SEARCHED_BYTES } from '../../shared/query/search-words.ts'
import { decodeBody } from '../base/decode-body.ts'
import type { ReadableDb } from './database.ts'
import { jsonOf } from './rows.ts'
import { rowStatement } from './statements.ts'

export interface BodyValues {
  readonly seq: number
  readonly values: readonly (string | null)[]
}

const decoder = new TextDecoder()

/** Reads the values of a body, decoded if compressed. */
export async function valuesOfBody(
  bytes: Uint8Array,
  headers: RawHeaders,
  paths: readonly string[],
  isCut: boolean,
): Promise<(string | null)[]> {
  if (paths.length === 0) return []
  const named = contentEncodings(headers)
  if (named.length === 0 && encodingInBytes(bytes) === null)
    return textsAtPaths(decoder.decode(bytes), paths, isCut)
  const decoded = await decodeBody(bytes, named)
  return textsAtPaths(decoder.decode(decoded.bytes), paths, isCut || decoded.end !== 'whole')
}

/** Reads values from the first bytes of each body, as many as a search reads. */
export async function readBodyValues(
  db: ReadableDb,
  { seqs, paths }: { readonly seqs: readonly number[]; readonly paths: readonly string[] },
): Promise<BodyValues[]> {
  const rows = rowStatement<{
    seq: number
    headers: string
    bytes: Uint8Array | null
    isCut: number
  }>(
    db,
    `SELECT d.seq, d.headers, substr(b.bytes, 1, ${SEARCHED_BYTES}) AS bytes,
       d.truncated OR length(b.bytes) > ${SEARCHED_BYTES} AS isCut
     FROM deliveries d JOIN bodies b ON b.seq = d.seq
     WHERE d.seq IN (SELECT value FROM json_each(?)) AND d.malformed IS NULL`,
  ).all(JSON.stringify(seqs))
  const values: BodyValues[] = []
  for (const { seq, headers, bytes, isCut } of rows)
    values.push({
      seq,
      values: await valuesOfBody(
        bytes ?? new Uint8Array(),
        jsonOf('deliveries.headers', headers),
        paths,
        isCut === 1,
      ),
    })
  return values
}
