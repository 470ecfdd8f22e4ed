/** The loader of a flow file, which reloads it on change. */
import { AppError } from '../../../shared/contract/errors.ts'
import { FLOW_FILE_BYTES } from '../../../shared/model/flow.ts'
import { isQuiet } from '../../core-data/act.ts'
import { fileText, type UserFile } from '../../ui-state/user-file.ts'
import { fileProblemOf } from './flow-file-problem.ts'
import type { FlowsTools } from './flows-state.ts'
import { watchFile } from './watch-file.ts'

function flowText(file: UserFile): Promise<string> {
  const tooLarge = new AppError(
    'INVALID_FLOW',
    `${file.name} is larger than 1 MiB. Split the flow into smaller files.`,
  )
  return fileText(file, FLOW_FILE_BYTES, tooLarge)
}

export class FlowFileLoader {
  readonly #tools: FlowsTools
  /** Number of reads and closings, so that older reads are ignored. */
  #turn = 0
  #stopWatching: () => void = () => undefined

  constructor(tools: FlowsTools) {
    this.#tools = tools
  }

  async open(file: UserFile): Promise<void> {
    this.#stopWatching()
    this.#stopWatching = watchFile(file, () => void this.#read(file))
    await this.#read(file)
  }

  close(): void {
    this.#turn++
    this.#stopWatching()
    this.#tools.set({ file: null, fileProblem: null })
  }

  /** Reads the file. An open flow stays, with its runs, if the file is invalid now. */
  async #read(file: UserFile): Promise<void> {
    const { client, data, notify, set, get, app } = this.#tools
    const turn = ++this.#turn
    const { navigation } = app()
    const isOpen = get().file !== null && get().file?.name === navigation.at.flows.file
    try {
      const text = await flowText(file)
      const which = { source: { text, file: file.name } }
      const output = await client.call('flows.get', which)
      if (turn !== this.#turn) return
      data.queries.setQueryData(['flows.get', which], output)
      set({ file: { name: file.name, text }, fileProblem: null })
      if (isOpen)
        notify({ tone: 'ok', title: 'Flow reloaded', message: `${file.name} has changed.` })
      else navigation.select('flows', { file: file.name })
    } catch (error) {
      if (turn === this.#turn && !isQuiet(error))
        set({ fileProblem: fileProblemOf(error, file.name, isOpen) })
    }
  }
}
