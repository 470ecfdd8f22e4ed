import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { buildIfStale } from '../../scripts/build.mjs'

export async function linkPackage(folder: string): Promise<void> {
  await buildIfStale({ targets: ['library'] })
  const link = join(folder, 'node_modules/countersign')
  await mkdir(dirname(link), { recursive: true })
  await symlink(resolve(import.meta.dirname, '../..'), link, 'junction')
}
