/** The published schema of a flow's file (`docs/flow.schema.json`), made of the one that the code reads with. */
import { z } from 'zod'
import { flowSchema } from '../../shared/model/flow.ts'

export function flowJsonSchema(): object {
  return { title: 'A flow of Countersign', ...z.toJSONSchema(flowSchema, { io: 'input' }) }
}
