/**
 * Loaded into each thread of the app by `scripts/path-of.mjs`: on SIGUSR2 every thread writes its
 * V8 coverage. Each message to another thread adds a letter to a file.
 */
import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { takeCoverage } from 'node:v8'
import { BroadcastChannel, isMainThread, Worker } from 'node:worker_threads'

const signals = new BroadcastChannel('path-of')
signals.addEventListener('message', () => takeCoverage())
signals.unref()

if (isMainThread) {
  process.on('SIGUSR2', () => {
    signals.postMessage('take')
    takeCoverage()
  })
  const { postMessage } = Worker.prototype
  Worker.prototype.postMessage = function post(...args) {
    appendFileSync(process.env.PATH_OF_CALLS, '.')
    return postMessage.apply(this, args)
  }
}
