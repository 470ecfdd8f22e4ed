/** Reads protocol messages from standard input and rejects invalid lines. */
import { StringDecoder } from 'node:string_decoder'
import type { Readable } from 'node:stream'
import { parseJSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** Characters of the longest message; tools' arguments are short. */
const LONGEST_MESSAGE = 1_048_576

export interface Refusal {
  readonly id?: string | number | undefined
  readonly error: { readonly code: number; readonly message: string }
}

const { ParseError, InvalidRequest } = ProtocolErrorCode
const withId = z.object({ id: z.union([z.string(), z.number()]) })

/** Yields the messages as lines; `refuse` gets the others. Keeps at most one line in memory. */
export async function* readMessages(
  input: Readable,
  refuse: (refusal: Refusal) => void,
): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf8')
  let line = ''
  let isTooLong = false
  const isMessage = (): boolean => {
    if (isTooLong) {
      const message = 'Message is longer than 1 MiB. Send a shorter one.'
      refuse({ error: { code: InvalidRequest, message } })
      return false
    }
    if (line.trim() === '') return false
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      const message = 'Not JSON. Send one complete JSON-RPC message per line.'
      refuse({ error: { code: ParseError, message } })
      return false
    }
    try {
      parseJSONRPCMessage(value)
      return true
    } catch {
      const message = 'Not a JSON-RPC 2.0 message. Send one per line.'
      refuse({ id: withId.safeParse(value).data?.id, error: { code: InvalidRequest, message } })
      return false
    }
  }
  for await (const chunk of input) {
    for (const [index, piece] of decoder
      .write(chunk as Buffer)
      .split('\n')
      .entries()) {
      if (index > 0) {
        if (isMessage()) yield Buffer.from(`${line}\n`)
        line = ''
        isTooLong = false
      }
      isTooLong ||= line.length + piece.length > LONGEST_MESSAGE
      line = isTooLong ? '' : line + piece
    }
  }
  // The last line may have no newline.
  if (isMessage()) yield Buffer.from(`${line}\n`)
}
