#!/usr/bin/env node
/**
 * The `countersign` command. On an old Node, it restarts on the Node 24 that npm installed (the
 * native database module crashes silently on older ones). In a checkout, it builds what is missing,
 * then runs the command line.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
const root = new URL('../', import.meta.url)

/** Finds Node 24 in npm's platform packages; null if it isn't installed. */
function findNode() {
  const windows = process.platform === 'win32'
  const system = windows ? 'win' : process.platform
  const require = createRequire(import.meta.url)
  for (const name of [`node-${system}-${process.arch}`, `node-bin-${system}-${process.arch}`]) {
    try {
      return require.resolve(`${name}/bin/node${windows ? '.exe' : ''}`)
    } catch {
      // Package for another platform, or not installed.
    }
  }
  return null
}

/**
 * Runs this file again on `node`, passing on signals and the exit code. npm may be killed without
 * telling its children, so a child of npm then stops too instead of running on as an orphan.
 */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  if (process.env.npm_command !== undefined) {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  }
  child.on('error', (error) => {
    console.error(
      `Couldn't start Node ${NEEDED} (${node}): ${error.message}. Install Countersign again.`,
    )
    process.exit(3)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 3)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/**
 * Builds what is missing or stale. Only a checkout has sources; an installed package contains the
 * build.
 */
async function buildCheckout() {
  if (!existsSync(new URL('src/', root))) return
  const { buildIfStale } = await import(new URL('scripts/build.mjs', root).href)
  // Only `serve` needs the app; skipping it makes other commands faster.
  await buildIfStale({ targets: process.argv.includes('serve') ? ['node', 'app'] : ['node'] })
}

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  const node = findNode()
  if (node === null) {
    console.error(
      `countersign needs Node ${NEEDED}; this is ${process.version}. Install it again without --omit=optional, or use Node ${NEEDED}.`,
    )
    process.exit(3)
  }
  handOver(node)
} else {
  let built = false
  try {
    await buildCheckout()
    built = true
  } catch (error) {
    console.error(error instanceof Error && error.name === 'BuildError' ? error.message : error)
    process.exitCode = 3
  }
  if (built) await import(new URL('out/node/cli.js', root).href)
}
