/**
 * Finds a program as a shell would. A desktop app is often started with a bare PATH, so the places where package managers put
 * programs are looked at too.
 */
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

export interface ProgramSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

const USUAL_PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['/opt/homebrew/bin', '/usr/local/bin', '/opt/local/bin'],
  linux: ['/usr/local/bin', '/usr/bin', '/snap/bin', '/home/linuxbrew/.linuxbrew/bin'],
  win32: [String.raw`C:\Program Files (x86)\cloudflared`, String.raw`C:\Program Files\cloudflared`],
}

/** Relative folders of a PATH mean another program in every working folder: they are left out. */
function foldersOf({ env, platform }: ProgramSurroundings): string[] {
  const path = env['PATH'] ?? env['Path'] ?? ''
  return [...path.split(delimiter), ...(USUAL_PLACES[platform] ?? [])].filter(isAbsolute)
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The whole path of a program, null where there is none of this name. */
export async function findProgram(name: string, surroundings: ProgramSurroundings): Promise<string | null> {
  const file = surroundings.platform === 'win32' ? `${name}.exe` : name
  for (const folder of new Set(foldersOf(surroundings))) {
    const path = join(folder, file)
    if (await isExecutable(path)) return path
  }
  return null
}
