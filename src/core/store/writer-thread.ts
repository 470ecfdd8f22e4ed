import { workerData } from 'node:worker_threads'
import { setUpThread, serveJobs } from '../base/threads/job-thread.ts'
import { openWriter, type WriterData } from './writer.ts'

setUpThread(() => serveJobs(openWriter(workerData as WriterData)))
