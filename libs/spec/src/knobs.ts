import { type Static, Type } from 'typebox'

/** Stands for "let Stoker choose and keep choosing", as `tf.data.AUTOTUNE`. */
export const AUTOTUNE = 'AUTOTUNE'

/** A knob: AUTOTUNE or a fixed whole number, which always wins. */
export const knob = (minimum: number, maximum: number) =>
  Type.Union([Type.Literal(AUTOTUNE), Type.Integer({ minimum, maximum })])

export type Knob = Static<ReturnType<typeof knob>>

/** A string that names a field of the record. */
export const FieldName = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000-\\u001f]+$' })
