#!/usr/bin/env node
/**
 * The `countersign` command. It runs under any Node that can read it, hands over to the Node 24 that npm installed beside it
 * where its own is older (the store's native module dies without a word there), builds what a checkout lacks, and then is
 * the command line itself.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
const root = new URL('../', import.meta.url)

/** Path of a Node of the needed version from the platform packages of npm, or null. */
function findNode() {
  const windows = process.platform === 'win32'
  const system = windows ? 'win' : process.platform
  const require = createRequire(import.meta.url)
  for (const name of [`node-${system}-${process.arch}`, `node-bin-${system}-${process.arch}`]) {
    try {
      return require.resolve(`${name}/bin/node${windows ? '.exe' : ''}`)
    } catch {
      // This package is for another platform, or was not installed.
    }
  }
  return null
}

/**
 * Runs this file again under `node`, as if it were this process: signals and the exit code pass through. Where npm started
 * it, npm may be killed without a word to its children: then it ends too, and does not keep serving as an orphan.
 */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  if (process.env.npm_command !== undefined) {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  }
  child.on('error', (error) => {
    console.error(`Couldn't start Node ${NEEDED} (${node}): ${error.message}. Run npm ci.`)
    process.exit(3)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 3)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** Builds what is missing or stale; only a checkout has sources, an installed package has the build alone. */
async function buildCheckout() {
  if (!existsSync(new URL('src/', root))) return
  const { buildIfStale } = await import(new URL('scripts/build.mjs', root).href)
  // Only `serve` shows the app; everything else is quicker without it.
  await buildIfStale({ targets: process.argv.includes('serve') ? ['node', 'app'] : ['node'] })
}

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  const node = findNode()
  if (node === null) {
    console.error(`countersign needs Node ${NEEDED}; this is ${process.version}. Run npm ci, or install a newer Node.`)
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
