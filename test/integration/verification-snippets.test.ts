/**
 * Runs the verification programs in each language that this computer has, against valid deliveries
 * and forged ones, with a wrong secret, body, URL, timestamp or signature.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import { snippetLanguages } from '../../src/shared/snippets/languages.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  inlineBody,
  LONGEST_INLINE_BODY,
  SECRET_VARIABLE,
  snippetOf,
  type SnippetLanguage,
  type Vector,
} from '../../src/shared/snippets/snippet.ts'

const SECRET = 'whsec_sécret-秘密 "quoted" $HOME'

interface Given {
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  readonly secret?: string
  /** Replaces the correct one. */
  readonly signature?: string
}

const plain: Given = {
  body: Buffer.from('{"amount":10.00,"name":"Café","url":"https:\\/\\/a"}'),
  url: 'https://hooks.example.test/offers?tenant=7&tag=a%20b',
  timestamp: '1763700000123',
}
const odd: Given = {
  body: Buffer.from([0, 255, 254, 10, 13, 34, 39, 92, 96, 36, 123]),
  url: `https://bücher.example.test/"+exit(0)+"#{exit(0)}\${x}\\u0022 'a' %s <?php`,
  timestamp: `1763700000123";exit(0);//`,
}
const long: Given = {
  ...plain,
  body: Buffer.from(JSON.stringify({ text: 'x'.repeat(LONGEST_INLINE_BODY) })),
}

function signatureOf({ body, url, timestamp, secret = SECRET }: Given): string {
  return signDelivery({ body, url, timestamp, key: secretKey(secret) }).signature
}

const right = signatureOf(plain)
const cases: readonly (readonly [name: string, given: Given, isValid: boolean])[] = [
  ['a valid delivery', plain, true],
  ['bytes, URL and timestamp of any kind', odd, true],
  ['a body from a file', long, true],
  ['another body', { ...plain, body: Buffer.from('{"amount":10}'), signature: right }, false],
  ['another URL', { ...plain, url: `${plain.url}/`, signature: right }, false],
  ['another timestamp', { ...plain, timestamp: '1763700000124', signature: right }, false],
  ['another secret', { ...plain, signature: signatureOf({ ...plain, secret: 'another' }) }, false],
  [
    'the first pass alone',
    { ...plain, signature: signDelivery({ ...plain, key: secretKey(SECRET) }).inner },
    false,
  ],
  ['no signature', { ...plain, signature: '' }, false],
  ['a signature that is code', { ...plain, signature: `"+exit(0)+"#{exit(0)}` }, false],
]

/**
 * For programs that run a second: no optimizing compiler, and no separate garbage collection
 * thread.
 */
const BRIEF_JAVA = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto']

interface Starter {
  readonly needs: string
  /** The program and its arguments; a compiler writes next to the source. */
  readonly start: (file: string) => string[]
  /**
   * Gets all sources before the first one starts, if starting a compiler takes longer than
   * compiling.
   */
  readonly prepare?: (files: readonly string[]) => void
}

const starters: Readonly<Record<string, Starter>> = {
  node: { needs: 'node', start: (file) => ['node', file] },
  python: { needs: 'python3', start: (file) => ['python3', file] },
  ruby: { needs: 'ruby', start: (file) => ['ruby', file] },
  php: { needs: 'php', start: (file) => ['php', file] },
  go: {
    needs: 'go',
    start: (file) =>
      compiled(`${file}.out`, ['go', 'build', '-ldflags=-w', '-o', `${file}.out`, file]),
  },
  java: {
    needs: 'javac',
    start: (file) => ['java', ...BRIEF_JAVA, '-cp', classesOf(file), 'Verify'],
    prepare: compileJava,
  },
  csharp: {
    needs: 'mcs',
    start: (file) => ['mono', ...compiled(`${file}.exe`, ['mcs', `-out:${file}.exe`, file])],
  },
}

function compiled(output: string, [compiler = '', ...args]: string[]): string[] {
  execFileSync(compiler, args, {
    env: { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' },
    stdio: 'pipe',
  })
  return [output]
}

const classesOf = (file: string) => `${file}.classes`

/**
 * Calls the compiler for each source separately, because all have the same class, but in one
 * process.
 */
const COMPILE_EACH = `import java.util.spi.ToolProvider;
class CompileEach {
  public static void main(String[] files) {
    ToolProvider javac = ToolProvider.findFirst("javac").get();
    for (String file : files)
      if (javac.run(System.out, System.err, "-proc:none", "-d", file + ".classes", file) != 0) System.exit(1);
  }
}`

function compileJava(files: readonly string[]): void {
  for (const file of files) mkdirSync(classesOf(file))
  const driver = join(folder, 'CompileEach.java')
  writeFileSync(driver, COMPILE_EACH)
  execFileSync('java', [...BRIEF_JAVA, driver, ...files], { stdio: 'pipe' })
}

function isInstalled(program: string): boolean {
  return spawnSync(process.platform === 'win32' ? 'where' : 'which', [program]).status === 0
}

const folder = temporaryFolder()

function vectorOf(given: Given): Vector {
  const { body, url, timestamp, signature = signatureOf(given) } = given
  return { bodyBase64: inlineBody(body), url, timestamp, signature }
}

function run(
  { id }: SnippetLanguage,
  file: string,
): { readonly code: number | null; readonly said: string } {
  const [program = '', ...args] = starters[id]?.start(file) ?? []
  const env = { ...process.env, [SECRET_VARIABLE]: SECRET, LC_ALL: 'C.UTF-8' }
  const { status, stdout, stderr } = spawnSync(program, [...args, join(dirname(file), 'body')], {
    env,
    encoding: 'utf8',
  })
  return { code: status, said: (stdout + stderr).trim() }
}

describe.each(snippetLanguages.map((language) => [language.name, language] as const))(
  '%s',
  (_name, language) => {
    const { needs = language.id, prepare } = starters[language.id] ?? {}
    const files = cases.map((_case, index) =>
      join(folder, language.id, String(index), language.file),
    )

    beforeAll(() => {
      for (const [index, file] of files.entries()) {
        const given = cases[index]?.[1] ?? plain
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, snippetOf(language, vectorOf(given)))
        writeFileSync(join(dirname(file), 'body'), given.body)
      }
      if (isInstalled(needs)) prepare?.(files)
    })

    test.for(cases.map(([name, , isValid], index) => [name, isValid, files[index] ?? ''] as const))(
      '%s',

      ([_case, isValid, file], { skip }) => {
        skip(!isInstalled(needs), `${needs} is not installed here`)
        expect(run(language, file)).toEqual(
          isValid ? { code: 0, said: 'valid' } : { code: 1, said: 'not valid' },
        )
      },
    )

    test('received data is encoded unless it is plain text', () => {
      const text = snippetOf(language, vectorOf({ ...odd, signature: odd.timestamp }))
      for (const piece of ['exit(0)', 'bücher', '#{', '<?php exit'])
        expect(text).not.toContain(piece)
    })

    test("it doesn't contain the secret, which is read from a variable", () => {
      const text = snippetOf(language, vectorOf(plain))
      expect(text).toContain(SECRET_VARIABLE)
      expect(text).not.toContain('whsec')
    })
  },
)
