/** Reads a setup file from the disk, with the files and secrets that it names. */
import { basename, dirname } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import { FLOW_FILE_BYTES } from '../../shared/model/flow.ts'
import type { FileProblem } from '../../shared/model/file-problem.ts'
import type { SetupSource } from '../../shared/model/setup.ts'
import { SETUP_FILE_BYTES, SETUP_REQUESTS_BYTES } from '../../shared/model/setup-file.ts'
import { pathInside, readSmallBytes, readSmallFile } from '../base/inside-folder.ts'
import { invalidSetup, readSetup } from './read-setup.ts'
import { isOutside, neededSecrets, type NeededSecret } from './setup-secrets.ts'

/** Most bytes of a file with a secret. */
const SECRET_FILE_BYTES = 8_192
const MAX_SECRET_LENGTH = 1_000

interface LoadOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether secrets may be read from absolute paths, which the user must see before. */
  readonly readsOutside: boolean
}

/** Returns the text of a setup file. Rejects with `NOT_FOUND` or `INVALID_SETUP`. */
export function readSetupText(file: string): string {
  let text
  if (pathInside(dirname(file), basename(file)) === null)
    throw new AppError(
      'INVALID_SETUP',
      `${file} is a link that leads out of its folder, so it isn't read. Name the file itself.`,
    )
  try {
    text = readSmallFile(file, SETUP_FILE_BYTES)
  } catch (error) {
    throw new AppError(
      'INVALID_SETUP',
      `${file} ${(error as Error).message}. Check that it is a setup file.`,
    )
  }
  if (text !== null) return text
  throw new AppError('NOT_FOUND', `${file} not found. Write one with "countersign apply --write".`)
}

type ReadFile<Contents> = (file: string, maxBytes: number) => Contents | null
type ReportProblem = (path: NeededSecret['path'], message: string, fix: string) => FileProblem

class SetupLoader {
  readonly #folder: string
  readonly #options: LoadOptions
  readonly #problem: ReportProblem
  readonly problems: FileProblem[] = []

  constructor(folder: string, options: LoadOptions, problem: ReportProblem) {
    this.#folder = folder
    this.#options = options
    this.#problem = problem
  }

  /** Returns a file in the folder; null if it can't be read or is missing, which is a problem. */
  readNamed<Contents>(
    path: NeededSecret['path'],
    named: string,
    maxBytes: number,
    read: ReadFile<Contents>,
  ): Contents | null {
    const contents = this.#readInside(path, named, (file) => read(file, maxBytes))
    if (contents === null && this.problems.length === 0)
      this.problems.push(this.#problem(path, `${named} not found.`, 'Check the path.'))
    return contents
  }

  /** Returns a secret; null if its variable or file doesn't exist, or may not be read yet. */
  readSecret(needed: NeededSecret): string | null {
    const { path, reference: { env, file } = {} } = needed
    const { readsOutside } = this.#options
    if (env === undefined && file === undefined) return null
    if (isOutside(needed) && !readsOutside) return null
    const read = (from: string) => readSmallFile(from, SECRET_FILE_BYTES)
    const text =
      file === undefined
        ? (this.#options.env[env ?? ''] ?? '')
        : isOutside(needed)
          ? this.#read(path, file, () => read(file))
          : this.#readInside(path, file, read)
    const secret = (text ?? '').replace(/\r?\n$/, '')
    if (secret === '') return null
    if (secret.length <= MAX_SECRET_LENGTH && !/[\r\n\0]/.test(secret)) return secret
    this.problems.push(
      this.#problem(
        path,
        `${file ?? env ?? ''} has no secret: it is longer than 1,000 characters or has several lines.`,
        'Save only the secret there.',
      ),
    )
    return null
  }

  #readInside<Contents>(
    path: NeededSecret['path'],
    named: string,
    read: (file: string) => Contents | null,
  ): Contents | null {
    const file = pathInside(this.#folder, named)
    if (file !== null) return this.#read(path, named, () => read(file))
    const fix = 'Move it there, and name it relative to this file.'
    this.problems.push(this.#problem(path, `${named} is outside of this file's folder.`, fix))
    return null
  }

  #read<Contents>(
    path: NeededSecret['path'],
    named: string,
    read: () => Contents | null,
  ): Contents | null {
    try {
      return read()
    } catch (error) {
      const message = `${named} ${(error as Error).message}.`
      this.problems.push(this.#problem(path, message, 'Name another file.'))
      return null
    }
  }
}

/** Returns a file with all that it names. Throws `INVALID_SETUP` or `NOT_FOUND`. */
export function loadSetup(file: string, options: LoadOptions): SetupSource {
  const text = readSetupText(file)
  const { setup, problem } = readSetup(text, basename(file))
  const loader = new SetupLoader(dirname(file), options, problem)
  const files: Record<string, string> = {}
  for (const [index, path] of setup.flows.entries()) {
    const flow = loader.readNamed(['flows', index], path, FLOW_FILE_BYTES, readSmallFile)
    if (flow !== null) files[path] = flow
  }
  const bodies: Record<string, string> = {}
  let size = 0
  for (const [index, { file: named }] of setup.requests.entries()) {
    const path = ['requests', index, 'file']
    const body = loader.readNamed(path, named, SETUP_REQUESTS_BYTES, readSmallBytes)
    if (body === null) break
    size += body.length
    if (size > SETUP_REQUESTS_BYTES) {
      const message = 'The named requests have more than 16 MiB together.'
      loader.problems.push(problem(path, message, 'Remove some of them.'))
      break
    }
    bodies[named] = body.toString('base64')
  }
  const secrets: Record<string, string> = {}
  for (const needed of neededSecrets(setup)) {
    const secret = loader.readSecret(needed)
    if (secret !== null) secrets[needed.place] = secret
  }
  if (loader.problems.length > 0) throw invalidSetup(basename(file), loader.problems)
  return { file, text, files, bodies, secrets }
}

/** Returns the secrets of a setup that only a confirmed `apply` reads. */
export function outsideSecrets(text: string, file: string): NeededSecret[] {
  return neededSecrets(readSetup(text, basename(file)).setup).filter(isOutside)
}
