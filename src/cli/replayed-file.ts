/** Replays the deliveries of an export from a folder that is deleted at the end. */
import { stat } from 'node:fs/promises'
import { AppError } from '../shared/contract/errors.ts'
import { importFile } from '../shared/import-export/import-file.ts'
import { NOTHING_IMPORTED } from '../shared/model/import-outcome.ts'
import { withStop } from './lifetime.ts'
import { readGivenSecret, readSecret, type SecretValues } from './options/secret-options.ts'
import { readPieces } from './file-pieces.ts'
import { SENDING, type CommandRun, type Session } from './session.ts'

/**
 * Imports a file into a new session. Rejects with `INVALID_INPUT` for a line that isn't a delivery,
 * because the result would be another one.
 */
export async function openReplayedFile(run: CommandRun, file: string): Promise<Session> {
  if (file !== '-') await stat(file)
  const session = await run.openTemporary(SENDING)
  let outcome = NOTHING_IMPORTED
  await withStop(run.env, async (signal) => {
    const pieces = readPieces(run, file, signal)
    for await (const current of importFile(session.client, pieces, { signal })) outcome = current
    if (signal.aborted) throw new AppError('CANCELLED', 'Replay cancelled. Nothing sent.')
  })
  const [problem] = outcome.problems
  if (problem !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `${file}, line ${problem.line}: ${problem.reason} Export the deliveries again.`,
    )
  return session
}

interface FileEndpoints extends SecretValues {
  readonly to: string
  readonly against: string | null
  readonly registeredUrl: string | undefined
  readonly prefix: string | undefined
  readonly targetCa: string | undefined
  /** Whether requests keep the signature of the file, so that no secret is needed. */
  readonly keepsSignature: boolean
}

/**
 * Saves the endpoints with the given secret, because a file has no hooks, and returns their names.
 */
export async function saveEndpoints(
  run: CommandRun,
  { client }: Session,
  { to, against, keepsSignature, registeredUrl, prefix, targetCa, ...secrets }: FileEndpoints,
): Promise<{ readonly to: string; readonly against: string | null }> {
  const secret = keepsSignature
    ? await readGivenSecret(run, secrets)
    : await readSecret(run, secrets)
  if (secret === undefined) return { to, against }
  const save = async (name: string, url: string) => {
    const options = { registeredUrl: registeredUrl ?? null, prefix: prefix ?? null }
    await client.call('handlers.add', {
      ...{ name, url, secret, targetCa: targetCa ?? null },
      ...options,
    })
    return `@${name}`
  }
  return { to: await save('to', to), against: against && (await save('against', against)) }
}
