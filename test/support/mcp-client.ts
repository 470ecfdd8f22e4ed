/** A client of `countersign mcp` in this process, and transcripts of its sessions. */
import { PassThrough } from 'node:stream'
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client'
import type { Begun, Cli } from '../integration/cli-fixture.ts'
import { TEST_TIMEOUT_MS } from './long-form.ts'

export type Arguments = Readonly<Record<string, unknown>>

export interface Reply {
  readonly text: string
  readonly isError: boolean
}

export interface McpSession {
  readonly client: Client
  call(
    name: string,
    input?: Arguments,
    options?: {
      readonly signal?: AbortSignal
      readonly onprogress?: (progress: { message?: string | undefined }) => void
    },
  ): Promise<Reply>
  readonly calls: { readonly name: string; readonly input: Arguments; readonly reply: Reply }[]
  close(): Promise<void>
}

/** Connects the command's standard input and output, a message a line. */
function createTransport(cli: Cli, options: readonly string[], data: string): Transport {
  const stdin = new PassThrough()
  let command: Begun | null = null
  const transport: Transport = {
    async start() {
      const { lines, until, ended } = (command = cli.given({ data, stdin }).begin`mcp ${options}`)
      let hasEnded = false
      void ended.then(() => (hasEnded = true))
      void (async () => {
        for (let read = 0; !hasEnded; read++) {
          await Promise.race([until(read + 1), ended])
          if (read < lines.length) transport.onmessage?.(JSON.parse(lines[read] ?? ''))
        }
      })()
    },
    async send(message) {
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      stdin.end()
      await command?.ended
      transport.onclose?.()
    },
  }
  return transport
}

export async function startMcp(
  cli: Cli,
  options: readonly string[],
  {
    data = cli.data,
    client: clientOptions = {},
  }: { readonly data?: string; readonly client?: ClientOptions } = {},
): Promise<McpSession> {
  const client = new Client({ name: 'test', version: '1.0.0' }, clientOptions)
  await client.connect(createTransport(cli, options, data))
  const calls: McpSession['calls'] = []
  return {
    client,
    calls,
    async call(name, input = {}, requestOptions = {}) {
      const { content, isError = false } = await client.callTool(
        { name, arguments: { ...input } },
        { ...requestOptions, timeout: TEST_TIMEOUT_MS },
      )
      const reply = {
        text: content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n'),
        isError,
      }
      calls.push({ name, input, reply })
      return reply
    },
    close: () => client.close(),
  }
}

export function outlineOf({ text }: Reply): string {
  return text.split(/^--- captured content /m)[0] ?? ''
}

export function capturedOf({ text }: Reply): string {
  return (
    /^--- captured content (\w+): .*---\n([^]*)\n--- end of captured content \1 ---$/m.exec(
      text,
    )?.[2] ?? ''
  )
}

export function nextCallOf(
  reply: Reply,
): { readonly name: string; readonly input: Arguments } | null {
  const [, name, input] = /^next: (\w+) (\{.*\})$/m.exec(outlineOf(reply)) ?? []
  return name === undefined || input === undefined
    ? null
    : { name, input: JSON.parse(input) as Arguments }
}

/** Returns the calls of a session as a page without what differs between runs. */
export function transcriptOf({ calls }: McpSession, title: string): string {
  const ids: string[] = []
  const numbered = (id: string) => {
    if (!ids.includes(id)) ids.push(id)
    return `id-${ids.indexOf(id) + 1}`
  }
  const text = calls
    .map(
      ({ name, input, reply }, at) =>
        `### ${at + 1}. ${name} ${JSON.stringify(input)}\n\n~~~text\n${name === 'docs_search' ? '…' : reply.text}\n~~~\n`,
    )
    .join('\n')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3}Z?/g, 'TIME')
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, numbered)
    .replaceAll(/\b[\da-f]{32}\b/g, 'FENCE')
    .replaceAll(/[A-Za-z\d+/]{43}=/g, 'SIGNATURE')
    .replaceAll(/\b1\d{12}\b/g, 'TIMESTAMP')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    // On a busy machine also in seconds.
    .replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, 'N ms')
  return `## ${title}\n\n${text}`
}
