import { workerData } from 'node:worker_threads'
import { reportReady, serveJobs } from '../base/threads/job-thread.ts'
import { openWriter, type WriterData } from './writer.ts'

reportReady(() => serveJobs(openWriter(workerData as WriterData)))
