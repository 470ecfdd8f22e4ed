/** Entry of the worker that lays bodies out. */
import { layOutBody, type LayoutAnswer, type LayoutRequest } from './body-layout.ts'

self.addEventListener('message', (event: MessageEvent<LayoutRequest>) => {
  const layout = layOutBody(event.data)
  const answer: LayoutAnswer = { id: event.data.id, layout }
  const rows = layout.kind === 'binary' ? null : layout.rows
  const transfer = rows === null ? [] : [rows.starts.buffer, rows.ends.buffer, rows.depths.buffer, rows.states.buffer]
  self.postMessage(answer, { transfer: transfer as ArrayBuffer[] })
})
