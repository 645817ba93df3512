import { type Static, Type } from 'typebox'
import type { OPS, OpName } from './ops/index.js'
import { stageAlternatives, type UserOpName } from './ops/registry.js'
import { COMBINED, type CombinedName, type CombinedParams } from './sources/combined.js'
import { SOURCES, type SourceName } from './sources/index.js'
import { tagged } from './tagged.js'

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
/** A step that runs an op of a user's own. */
export type UserStage = { readonly op: UserOpName } & Readonly<Record<string, unknown>>
/** One step of the chain: `op` names a row of OPS or an op of a user's own, the rest are its parameters. */
export type Stage = { [Name in OpName]: StageOf<Name> }[OpName] | UserStage

/** A record stage as a worker runs it: on its way to the wire, resize may round its floats to whole pixels. */
export type WorkerStage = Stage | ((StageOf<'resize'> | StageOf<'randomResizedCrop'>) & { readonly out: 'uint8' })

/** A chain as a user writes it: a source and the stages after it, in order. */
export interface Pipeline {
  readonly source: Source
  readonly stages: readonly Stage[]
}

/** JSON schema of a source, for validation of one and for the OpenAPI page. */
export const sourceSchemas = Object.fromEntries(
  [...Object.values(SOURCES), ...Object.values(COMBINED)].map((declaration) => [
    declaration.name,
    tagged('type', declaration),
  ]),
) as Readonly<Record<SourceName | CombinedName, object>>

/** JSON schema of a whole pipeline. */
export const PipelineSchema = Type.Unsafe<Pipeline>({
  type: 'object',
  title: 'Pipeline',
  required: ['source', 'stages'],
  additionalProperties: false,
  properties: {
    source: { oneOf: Object.values(sourceSchemas) },
    stages: { type: 'array', maxItems: 256, items: { oneOf: stageAlternatives } },
  },
})
