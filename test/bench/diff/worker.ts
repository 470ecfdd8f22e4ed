/** The worker of the benchmark: runs and times one comparison by structure and one by lines. */
import { parentPort, workerData } from 'node:worker_threads'
import { compareStructure, compareText } from '../../../src/shared/diff/compare-bodies.ts'
import { differenceCount } from '../../../src/shared/diff/rows.ts'
import { nothingVolatile } from '../../../src/shared/diff/volatile-fields.ts'

const { left, right } = workerData as { left: string; right: string }
const usage = process.threadCpuUsage()
const cpuBefore = (usage.user + usage.system) / 1_000
const start = performance.now()
const compared = compareStructure(left, right, nothingVolatile)
const structure = performance.now() - start
const cpu = process.threadCpuUsage()
const textStart = performance.now()
compareText(left, right, { formatsJson: true })
const text = performance.now() - textStart
const processor = (cpu.user + cpu.system) / 1_000 - cpuBefore
parentPort?.postMessage({
  structure,
  processor,
  text,
  changes: compared.outcome === 'json' ? differenceCount(compared.counts) : 0,
})
