/** Checks the packaging configuration with electron-builder's own schema, and protects settings that must not change unnoticed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'

interface Configuration {
  readonly files: readonly string[]
  readonly asarUnpack: readonly string[]
  readonly npmRebuild: boolean
  readonly electronFuses: Readonly<Record<string, boolean>>
  readonly mac: { readonly icon: string }
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

  test('has a square icon of 1024 pixels', () => {
    const png = readFileSync(read().mac.icon)
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1024, 1024])
  })
})
