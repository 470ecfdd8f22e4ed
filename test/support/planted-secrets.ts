/** Plants secrets in tests and searches for them in plain text and in likely encodings. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * Creates a secret that occurs nowhere by chance; its quote and plus sign have other forms in JSON
 * and URLs.
 */
export function plant(prefix: string): string {
  return `${prefix}${randomBytes(8).toString('hex')}"+${randomBytes(8).toString('hex')}`
}

/** Returns a text in Base64 at each offset, without the ends, which depend on neighboring bytes. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice([0, 2, 3][shift], Math.floor(((shift + bytes.length) * 8) / 6)),
  )
}

function formsOf(secret: string): Map<string, Buffer> {
  const bytes = Buffer.from(secret)
  const escaped = JSON.stringify(secret).slice(1, -1)
  const base64 = [...base64Forms(bytes), ...base64Forms(Buffer.from(escaped))]
  const forms: [string, string][] = [
    ['in clear', secret],
    ['in JSON', escaped],
    ['in JSON in JSON', JSON.stringify(escaped).slice(1, -1)],
    ['in a URL', encodeURIComponent(secret)],
    ['in hex', bytes.toString('hex')],
    ['in HEX', bytes.toString('hex').toUpperCase()],
    ...base64.map((form, shift): [string, string] => [`in Base64 at ${shift}`, form]),
    ...base64.map((form, shift): [string, string] => [
      `in Base64 for URLs at ${shift}`,
      form.replaceAll('+', '-').replaceAll('/', '_'),
    ]),
  ]
  return new Map([
    ...forms.map(([name, text]) => [name, Buffer.from(text)] as const),
    ['in UTF-16', Buffer.from(secret, 'utf16le')],
  ])
}

export function findPlanted(
  secrets: readonly string[],
  bytes: Buffer,
): { readonly secret: string; readonly form: string }[] {
  return secrets.flatMap((secret) =>
    [...formsOf(secret)]
      .filter(([, form]) => bytes.includes(form))
      .map(([form]) => ({ secret, form })),
  )
}

/** Reads every file below a folder by path, except files that vanish meanwhile. */
export async function filesBelow(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const contents = new Map<string, Buffer>()
  for (const file of files) {
    try {
      contents.set(file, await readFile(file))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  return contents
}

/** Finds secrets in files below a folder: file, secret and form. */
export async function plantedBelow(folder: string, secrets: readonly string[]): Promise<string[]> {
  return [...(await filesBelow(folder))].flatMap(([file, bytes]) =>
    findPlanted(secrets, bytes).map(({ secret, form }) => `${basename(file)}: ${secret} ${form}`),
  )
}
