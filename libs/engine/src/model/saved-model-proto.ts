// Just enough of protocol buffers to read a SavedModel's signatures without parsing its graph, which may be large:
//
//   SavedModel { meta_graphs = 2 }   MetaGraphDef { saver_def = 3, signature_def = 5 (map) }
//   SaverDef { filename_tensor_name = 1, save_tensor_name = 2 }
//   SignatureDef { inputs = 1 (map), outputs = 2 (map) }   TensorInfo { name = 1, dtype = 2, tensor_shape = 3 }
//   TensorShapeProto { dim = 2 { size = 1 }, unknown_rank = 3 }   map entry { key = 1, value = 2 }
//
// (tensorflow/core/protobuf/saved_model.proto, meta_graph.proto, saver.proto; tensorflow/core/framework)

export interface SignatureTensor {
  /** Of the graph, such as `train_x:0`. */
  readonly name: string
  /** Number of TensorFlow's DataType. */
  readonly dtype: number
  /** Null where the rank is unknown; -1 for an unknown dimension. */
  readonly shape: readonly number[] | null
}

export interface SavedModelSignature {
  readonly inputs: Readonly<Record<string, SignatureTensor>>
  readonly outputs: Readonly<Record<string, SignatureTensor>>
}

export interface SavedModelFacts {
  readonly signatures: Readonly<Record<string, SavedModelSignature>>
  /** The SavedModel's own saver: writes variables under the names that loading looks for. */
  readonly saver: { readonly filename: string; readonly save: string } | undefined
}

/** @throws RangeError for bytes that are no protocol buffer */
export function readSavedModelFacts(bytes: Uint8Array): SavedModelFacts {
  const [graph] = messages(fieldsOf(bytes), 2)
  const fields = fieldsOf(graph ?? new Uint8Array())
  const signatures = entries(fields, 5).map(([name, value]) => {
    const parts = fieldsOf(value)
    const tensors = (field: number) =>
      Object.fromEntries(entries(parts, field).map(([key, info]) => [key, tensorInfo(info)]))
    return [name, { inputs: tensors(1), outputs: tensors(2) }] as const
  })
  const [saverBytes] = messages(fields, 3)
  const saver = fieldsOf(saverBytes ?? new Uint8Array())
  const [filename, save] = [text(saver, 1), text(saver, 2)]
  return { signatures: Object.fromEntries(signatures), saver: filename && save ? { filename, save } : undefined }
}

function tensorInfo(bytes: Uint8Array): SignatureTensor {
  const fields = fieldsOf(bytes)
  const [shapeBytes] = messages(fields, 3)
  const shape = fieldsOf(shapeBytes ?? new Uint8Array())
  const dims = messages(shape, 2).map((dim) => Number(BigInt.asIntN(64, varint(fieldsOf(dim), 1))))
  return { name: text(fields, 1), dtype: Number(varint(fields, 2)), shape: varint(shape, 3) === 1n ? null : dims }
}

type Field = { readonly number: number; readonly value: bigint | Uint8Array }

function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  const readVarint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined || shift > 63n)
        throw new RangeError(`no protocol buffer: a number breaks off at byte ${at}`)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(readVarint())
    const number = tag >>> 3
    const wire = tag & 7
    if (wire === 0) {
      fields.push({ number, value: readVarint() })
      continue
    }
    const length = wire === 2 ? Number(readVarint()) : wire === 1 ? 8 : wire === 5 ? 4 : Number.NaN
    if (!(at + length <= bytes.length))
      throw new RangeError(`no protocol buffer: field ${number} breaks off at byte ${at}`)
    fields.push({ number, value: bytes.subarray(at, at + length) })
    at += length
  }
  return fields
}

const messages = (fields: readonly Field[], number: number): Uint8Array[] =>
  fields.flatMap((field) => (field.number === number && field.value instanceof Uint8Array ? [field.value] : []))

function varint(fields: readonly Field[], number: number): bigint {
  const value = fields.findLast((field) => field.number === number)?.value
  return typeof value === 'bigint' ? value : 0n
}

const text = (fields: readonly Field[], number: number): string =>
  new TextDecoder().decode(messages(fields, number).at(-1) ?? new Uint8Array())

const entries = (fields: readonly Field[], number: number): (readonly [string, Uint8Array])[] =>
  messages(fields, number).map((entry) => {
    const parts = fieldsOf(entry)
    return [text(parts, 1), messages(parts, 2).at(-1) ?? new Uint8Array()] as const
  })
