/** Named jobs of a worker thread, begun in the requested order; asynchronous ones may overlap. */
import { existsSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, Worker, type Transferable } from 'node:worker_threads'
import { AppError } from '../../../shared/contract/errors.ts'
import type { WireError } from '../../../shared/rpc/messages.ts'

/** Functions by name, each with its tools (a database) first. */
export type Jobs<Tools> = Readonly<Record<string, (tools: Tools, input: never) => unknown>>

export type JobInput<Job> = Job extends (tools: never, input: infer Input) => unknown
  ? Input
  : never
export type JobOutput<Job> = Job extends (tools: never, input: never) => infer Output
  ? Awaited<Output>
  : never

export interface OpenJobs<Tools, Table extends Jobs<Tools> = Jobs<Tools>> {
  readonly tools: Tools
  readonly jobs: Table
  /** Runs before each job. */
  starts?(isCancelled: () => boolean): void
  close(): void
}

interface JobRequest {
  readonly id: number
  readonly name: string
  readonly input: unknown
  /** Shared number, 1 once cancelled; a message would be read only after the job. */
  readonly cancelled: Int32Array | undefined
}

type JobResponse =
  | { readonly id: number; readonly ok: true; readonly output: unknown }
  | { readonly id: number; readonly ok: false; readonly expected: WireError }
  | {
      readonly id: number
      readonly ok: false
      readonly bug: {
        readonly message: string
        readonly name: string
        readonly code?: string
        readonly stack?: string
      }
    }

export interface JobThread<Table> {
  /** Runs a job. Rejects with its `AppError`, an SQLite `Error`, or the signal's reason. */
  run<K extends keyof Table & string>(
    name: K,
    input: JobInput<Table[K]>,
    transfer?: readonly Transferable[],
    signal?: AbortSignal,
  ): Promise<JobOutput<Table[K]>>
  close(): Promise<void>
}

export function serveJobs<Tools>({ tools, jobs, starts, close }: OpenJobs<Tools>): void {
  const port = parentPort
  if (port === null) throw new Error('serveJobs runs in a worker thread.')
  const inProgress = new Set<Promise<unknown>>()
  port.on('message', (request: JobRequest | 'close') => {
    if (request === 'close') {
      void Promise.allSettled(inProgress).then(() => {
        close()
        port.close()
      })
      return
    }
    const { id, cancelled } = request
    const answer = (output: unknown) =>
      port.postMessage({ id, ok: true, output } satisfies JobResponse)
    const refuse = (error: unknown) => port.postMessage(failureOf(id, error))
    try {
      const job = jobs[request.name]
      if (job === undefined) throw new Error(`Unknown job "${request.name}".`)
      starts?.(() => cancelled !== undefined && Atomics.load(cancelled, 0) === 1)
      const output = job(tools, request.input as never)
      if (!(output instanceof Promise)) {
        answer(output)
        return
      }
      const ended = output.then(answer, refuse).finally(() => inProgress.delete(ended))
      inProgress.add(ended)
    } catch (error) {
      refuse(error)
    }
  })
}

function failureOf(id: number, error: unknown): JobResponse {
  if (error instanceof AppError) return { id, ok: false, expected: error.toWire() }
  const { message, name, stack, code } = error as Error & { code?: string }
  return {
    id,
    ok: false,
    bug: {
      message,
      name,
      ...(stack === undefined ? {} : { stack }),
      ...(code === undefined ? {} : { code }),
    },
  }
}

/** MiB; V8 would use up to 128, although little survives. */
const YOUNG_GENERATION_MB = 6

/** Bytes of address space that V8's threads need. */
const ADDRESS_SPACE = 3 * 1_073_741_824

/** Throws `STORE_UNAVAILABLE` for a low `ulimit -v`, with which V8 would abort. */
function checkAddressSpace(): void {
  const limits = '/proc/self/limits'
  if (!existsSync(limits)) return
  const [, bytes] = /^Max address space +(\d+)/m.exec(readFileSync(limits, 'utf8')) ?? []
  if (Number(bytes) < ADDRESS_SPACE)
    throw new AppError(
      'STORE_UNAVAILABLE',
      'Countersign needs 3 GB of address space, but "ulimit -v" allows less. Raise that limit.',
    )
}

/** Starts a thread that serves jobs. Rejects with the setup's error. */
export async function startJobThread<Table>(
  entry: URL,
  workerData: unknown,
  youngGenerationMb: number = YOUNG_GENERATION_MB,
): Promise<JobThread<Table>> {
  checkAddressSpace()
  const worker = new Worker(entry, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  })
  const pendingCalls = new Map<
    number,
    { resolve: (output: unknown) => void; reject: (error: Error) => void }
  >()
  let nextId = 1
  let endError: Error | null = null

  const end = (error: Error) => {
    endError = error
    for (const call of pendingCalls.values()) call.reject(error)
    pendingCalls.clear()
  }

  await new Promise<void>((resolve, reject) => {
    worker.once('message', (first: { ready: true } | { failed: WireError }) => {
      if ('failed' in first) reject(AppError.fromWire(first.failed))
      else resolve()
    })
    worker.once('error', reject)
  })

  worker.on('message', (response: JobResponse) => {
    const call = pendingCalls.get(response.id)
    if (call === undefined) return
    pendingCalls.delete(response.id)
    if (response.ok) call.resolve(response.output)
    else if ('expected' in response) call.reject(AppError.fromWire(response.expected))
    else call.reject(Object.assign(new Error(response.bug.message), response.bug))
  })
  worker.on('error', end)
  const exited = new Promise<void>((resolve) =>
    worker.once('exit', () => {
      end(new Error('The thread has stopped.'))
      resolve()
    }),
  )

  return {
    async run(name, input, transfer, signal) {
      signal?.throwIfAborted()
      if (endError !== null) throw endError
      const id = nextId++
      const ended = Promise.withResolvers<unknown>()
      pendingCalls.set(id, ended)
      const cancelled = signal && new Int32Array(new SharedArrayBuffer(4))
      const cancel = () => {
        if (cancelled !== undefined) Atomics.store(cancelled, 0, 1)
        pendingCalls.delete(id)
        ended.reject(signal?.reason)
      }
      signal?.addEventListener('abort', cancel, { once: true })
      worker.postMessage({ id, name, input, cancelled } satisfies JobRequest, transfer ?? [])
      try {
        return (await ended.promise) as JobOutput<Table[typeof name]>
      } finally {
        signal?.removeEventListener('abort', cancel)
      }
    },
    async close() {
      worker.postMessage('close')
      await exited
    },
  }
}

function setUpError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError('STORE_UNAVAILABLE', (error as Error).message, { cause: error })
}

export function setUpThread(setUp: () => void): void {
  try {
    setUp()
    parentPort?.postMessage({ ready: true })
  } catch (error) {
    parentPort?.postMessage({ failed: setUpError(error).toWire() })
    parentPort?.close()
  }
}

/** Runs jobs in the calling thread. Throws the setup's error. */
export function runJobsHere<Tools, Table extends Jobs<Tools>>(
  setUp: () => OpenJobs<Tools, Table>,
): JobThread<Table> {
  let served: OpenJobs<Tools, Table>
  try {
    served = setUp()
  } catch (error) {
    throw setUpError(error)
  }
  const { tools, jobs, starts } = served
  const inProgress = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null

  return {
    run(name, input, transfer = [], signal) {
      const work = async () => {
        signal?.throwIfAborted()
        if (closing !== null) throw new Error('The jobs are closed.')
        const copy = structuredClone(input, { transfer: [...transfer] })
        await nextTurn()
        signal?.throwIfAborted()
        starts?.(() => false)
        return structuredClone(await jobs[name]?.(tools, copy as never)) as JobOutput<
          Table[typeof name]
        >
      }
      const output = work()
      const ended: Promise<unknown> = output
        .catch(() => undefined)
        .finally(() => inProgress.delete(ended))
      inProgress.add(ended)
      return output
    },
    close() {
      closing ??= Promise.all(inProgress).then(() => served.close())
      return closing
    },
  }
}
