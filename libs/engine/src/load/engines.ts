import { SavedModelNeedsNative } from '../error-table.js'
import { createLayersModel } from '../model/layers-model.js'
import { NativeTensors } from '../model/native-tensors.js'
import type { LayersRuntime } from '../model/runtime.js'
import { nativeRuntime, wasmRuntime } from '../model/runtimes.js'
import { createSavedModel } from '../model/saved-model.js'
import type { Engine } from '../types.js'
import type { Native } from './native.js'
import type { Wasm } from './wasm.js'

export function createNativeEngine(native: Native): Engine {
  const tensors = new NativeTensors(native.binding)
  const runtime = nativeRuntime(native, tensors)
  return {
    report: native.report,
    createModel(train, context, fields, deferred) {
      const { model } = train
      return model.kind === 'savedModel'
        ? createSavedModel({ tensors, context, model, train, fields, deferred })
        : createLayers(runtime, train, context, fields, deferred)
    },
  }
}

export function createWasmEngine({ tf, report }: Wasm): Engine {
  const runtime = wasmRuntime(tf)
  return {
    report,
    async createModel(train, context, fields, deferred) {
      const { model } = train
      if (model.kind === 'savedModel')
        throw SavedModelNeedsNative(report.device).with({
          remedy: `run \`${report.fix}\` on the trainer, or submit the model as kind layers`,
        })
      return createLayers(runtime, train, context, fields, deferred)
    },
  }
}

type Create = Engine['createModel']
const createLayers = (
  runtime: LayersRuntime,
  train: Parameters<Create>[0],
  { store, seed = 0, isResumed = false }: Parameters<Create>[1],
  fields: Parameters<Create>[2],
  deferred: Parameters<Create>[3],
) => createLayersModel(runtime, { train, seed, store, isResumed, fields, deferred })
