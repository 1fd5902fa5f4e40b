import { z } from 'zod';

/**
 * The same schema with every object in it refusing unknown members, however deep, so that a typo never passes
 * silently. Objects that say what they do with unknown members (`z.looseObject`, `.catchall`) keep their word, and
 * the sides of an intersection stay as they are: each would refuse the members of the other.
 */
export function refuseUnknownMembers(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodObject) return strictObject(schema);
  if (schema instanceof z.core.$ZodArray)
    return z.core.clone(schema, {
      ...schema._zod.def,
      element: refuseUnknownMembers(schema._zod.def.element),
    });
  if (schema instanceof z.core.$ZodUnion)
    return z.core.clone(schema, {
      ...schema._zod.def,
      options: schema._zod.def.options.map(refuseUnknownMembers),
    });
  if (schema instanceof z.core.$ZodRecord)
    return z.core.clone(schema, {
      ...schema._zod.def,
      valueType: refuseUnknownMembers(schema._zod.def.valueType),
    });
  if (schema instanceof z.core.$ZodPipe)
    return z.core.clone(schema, { ...schema._zod.def, in: refuseUnknownMembers(schema._zod.def.in) });
  if (isWrapper(schema))
    return z.core.clone(schema, {
      ...schema._zod.def,
      innerType: refuseUnknownMembers(schema._zod.def.innerType),
    });
  return schema;
}

function strictObject(schema: z.core.$ZodObject): z.core.$ZodType {
  const shape = Object.fromEntries(
    Object.entries(schema._zod.def.shape).map(([name, member]) => [name, refuseUnknownMembers(member)]),
  );
  return z.core.clone(schema, { ...schema._zod.def, shape, catchall: schema._zod.def.catchall ?? z.never() });
}

type Wrapper =
  | z.core.$ZodOptional
  | z.core.$ZodNullable
  | z.core.$ZodDefault
  | z.core.$ZodPrefault
  | z.core.$ZodReadonly
  | z.core.$ZodNonOptional;

function isWrapper(schema: z.core.$ZodType): schema is Wrapper {
  return (
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault ||
    schema instanceof z.core.$ZodReadonly ||
    schema instanceof z.core.$ZodNonOptional
  );
}
