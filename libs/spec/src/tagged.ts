/** The parameters of a source or op as one JSON schema, together with the property that names it. */
export function tagged(tag: 'type' | 'op', declaration: { name: string; summary: string; params: object }): object {
  const params = declaration.params as { required?: string[]; properties: Record<string, object> }
  return {
    ...params,
    title: declaration.name,
    description: declaration.summary,
    required: [tag, ...(params.required ?? [])],
    properties: { [tag]: { const: declaration.name, type: 'string' }, ...params.properties },
  }
}
