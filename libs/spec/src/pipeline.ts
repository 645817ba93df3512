import { type Static, Type } from 'typebox'
import { OPS, type OpName } from './ops/index.js'
import { COMBINED, type CombinedName, type CombinedParams } from './sources/combined.js'
import { SOURCES, type SourceName } from './sources/index.js'

type SourceOf<Name extends SourceName> = { readonly type: Name } & Readonly<Static<(typeof SOURCES)[Name]['params']>>
/** Where records come from: `type` names a row of SOURCES, the rest are its parameters. */
export type LeafSource = { [Name in SourceName]: SourceOf<Name> }[SourceName]

type CombinedOf<Name extends CombinedName> = {
  readonly type: Name
  readonly inputs: readonly Pipeline[]
} & Readonly<CombinedParams<Name>>
/** Records of several pipelines. */
export type CombinedSource = { [Name in CombinedName]: CombinedOf<Name> }[CombinedName]

export type Source = LeafSource | CombinedSource

export type StageOf<Name extends OpName> = { readonly op: Name } & Readonly<Static<(typeof OPS)[Name]['params']>>
/** One step of the chain: `op` names a row of OPS, the rest are its parameters. */
export type Stage = { [Name in OpName]: StageOf<Name> }[OpName]

/** A record stage as a worker runs it: on its way to the wire, resize may round its floats to whole pixels. */
export type WorkerStage = Stage | (StageOf<'resize'> & { readonly out: 'uint8' })

/** A chain as a user writes it: a source and the stages after it, in order. */
export interface Pipeline {
  readonly source: Source
  readonly stages: readonly Stage[]
}

const tagged = (tag: 'type' | 'op', declaration: { name: string; summary: string; params: object }) => {
  const params = declaration.params as { required?: string[]; properties: Record<string, object> }
  return {
    ...params,
    title: declaration.name,
    description: declaration.summary,
    required: [tag, ...(params.required ?? [])],
    properties: { [tag]: { const: declaration.name, type: 'string' }, ...params.properties },
  }
}

/** JSON schema of a source, for validation of one and for the OpenAPI page. */
export const sourceSchemas = Object.fromEntries(
  [...Object.values(SOURCES), ...Object.values(COMBINED)].map((declaration) => [
    declaration.name,
    tagged('type', declaration),
  ]),
) as Readonly<Record<SourceName | CombinedName, object>>

/** JSON schema of each stage, likewise. */
export const stageSchemas = Object.fromEntries(
  Object.values(OPS).map((declaration) => [declaration.name, tagged('op', declaration)]),
) as Readonly<Record<OpName, object>>

/** JSON schema of a whole pipeline. */
export const PipelineSchema = Type.Unsafe<Pipeline>({
  type: 'object',
  title: 'Pipeline',
  required: ['source', 'stages'],
  additionalProperties: false,
  properties: {
    source: { oneOf: Object.values(sourceSchemas) },
    stages: { type: 'array', maxItems: 256, items: { oneOf: Object.values(stageSchemas) } },
  },
})
