/** Checks the packaging configuration with electron-builder's own schema, and protects settings that must not change unnoticed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { FILE_EXTENSIONS } from '../../src/shared/model/file-kind.ts'
import { APP_ID, PRODUCT_NAME } from '../../src/shared/product.ts'

interface FileAssociation {
  readonly ext: string | readonly string[]
  readonly rank?: string
}

interface Configuration {
  readonly appId: string
  readonly productName: string
  readonly files: readonly string[]
  readonly asarUnpack: readonly string[]
  readonly npmRebuild: boolean
  readonly electronFuses: Readonly<Record<string, boolean>>
  readonly fileAssociations?: unknown
  readonly win: { readonly fileAssociations?: unknown }
  readonly mac: { readonly icon: string; readonly fileAssociations?: readonly FileAssociation[] }
  readonly linux: { readonly fileAssociations?: readonly FileAssociation[] }
  readonly nsis: { readonly include: string }
}

// Both are internals of electron-builder, which doesn't export its validation.
const fromBuilder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
const { load } = fromBuilder('js-yaml') as { load: (text: string) => unknown }
const { validateConfiguration } = fromBuilder('app-builder-lib/out/util/config/config') as {
  validateConfiguration: (configuration: unknown, logger: { isEnabled: boolean; add: () => void }) => Promise<void>
}

const read = () => load(readFileSync('electron-builder.yml', 'utf8')) as Configuration
const logger = { isEnabled: false, add: () => undefined }

describe('the packaging configuration', () => {
  test('matches the schema, which rejects anything else', async () => {
    await validateConfiguration(read(), logger)
    await expect(validateConfiguration({ ...read(), asarUnpacked: [] }, logger)).rejects.toThrow(/asarUnpacked/)
  })

  test('disables every way to manipulate the binary from outside', () => {
    expect(read().electronFuses).toEqual({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableCookieEncryption: true,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
      resetAdHocDarwinSignature: true,
    })
  })

  test('compiles nothing, unpacks the native module and includes one of its binaries', () => {
    const { files, asarUnpack, npmRebuild } = read()
    expect(npmRebuild).toBe(false)
    expect(asarUnpack).toContain('**/*.node')
    expect(files).toContain('!node_modules/better-sqlite3/prebuilds/**')
    expect(files).toContain('node_modules/better-sqlite3/prebuilds/${platform}-${arch}.node')
  })

  test('takes the keyring with the binary of the platform', () => {
    const { files, asarUnpack } = read()
    expect(asarUnpack).toContain('**/*.node')
    expect(files.filter((pattern) => pattern.includes('napi-rs'))).toEqual([])
    const keyring = JSON.parse(readFileSync('node_modules/@napi-rs/keyring/package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>
    }
    // Each is a dependency of the keyring with its own `os` and `cpu`, so the packager takes the binary of its platform.
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { os?: string[]; cpu?: string[]; dev?: boolean }>
    }
    for (const target of ['darwin-arm64', 'darwin-x64', 'linux-x64-gnu', 'linux-arm64-gnu', 'win32-x64-msvc']) {
      const name = `@napi-rs/keyring-${target}`
      const [os, cpu] = target.split('-')
      expect(Object.keys(keyring.optionalDependencies)).toContain(name)
      expect(packages[`node_modules/${name}`]).toMatchObject({ os: [os], cpu: [cpu] })
      expect(packages[`node_modules/${name}`]?.dev).toBeUndefined()
    }
  })

  test('the names that stored secrets depend on are the same everywhere', () => {
    const names = JSON.parse(readFileSync('package.json', 'utf8')) as { productName: string }
    expect([read().productName, names.productName]).toEqual([PRODUCT_NAME, PRODUCT_NAME])
    expect(read().appId).toBe(APP_ID)
    // A change loses every stored secret: these two lines are the only place where it may be considered.
    expect([PRODUCT_NAME, APP_ID]).toEqual(['Countersign', 'app.countersign.workbench'])
  })

  test('files open with the app on every system, and it never takes them from the editor', () => {
    const { fileAssociations, win, mac, linux, nsis } = read()
    const extensions = [...FILE_EXTENSIONS.capture, ...FILE_EXTENSIONS.flow]
    // On Windows, electron-builder would write the default of the extension.
    expect([fileAssociations, win.fileAssociations]).toEqual([undefined, undefined])
    for (const { fileAssociations: given = [] } of [mac, linux]) expect(given.flatMap(({ ext }) => ext)).toEqual(extensions)
    expect(mac.fileAssociations?.map(({ rank }) => rank)).toEqual(['Alternate', 'Alternate'])
    const script = readFileSync(nsis.include, 'utf8')
    expect(script).not.toMatch(/WriteReg\w+ SHELL_CONTEXT "Software\\Classes\\\.\w+"/)
    for (const macro of ['customInstall', 'customUnInstall']) {
      const lines = script.split(`!macro ${macro}\n`)[1]?.split('!macroend')[0] ?? ''
      const named = [...lines.matchAll(/"Software\\Classes\\\.(\w+)\\OpenWithProgids"/g)].map(([, extension]) => extension)
      expect(named, macro).toEqual(extensions)
    }
  })

  test('has a square icon of 1024 pixels', () => {
    const png = readFileSync(read().mac.icon)
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1024, 1024])
  })
})
