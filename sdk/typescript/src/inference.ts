import type { BaseType, FieldMap } from "./fields.js";

/** How `integer` fields reach the handler. */
export type IntegerMode = "number" | "bigint";

type Scalar<Base, Mode extends IntegerMode> = Base extends "integer"
  ? Mode extends "bigint"
    ? bigint
    : number
  : Base extends "number"
    ? number
    : Base extends "boolean"
      ? boolean
      : Base extends "json"
        ? unknown
        : Base extends BaseType
          ? string
          : never;

type Value<Type, Mode extends IntegerMode> = Type extends `${infer Base}[]` ? Scalar<Base, Mode>[] : Scalar<Type, Mode>;

type OptionalNames<Map> = { [Name in keyof Map]: Map[Name] extends `${string}?` ? Name : never }[keyof Map];
type WithoutMark<Type> = Type extends `${infer Rest}?` ? Rest : Type;

// Intersections are unreadable in an editor; this prints the object they amount to.
type Flat<Shape> = { [Name in keyof Shape]: Shape[Name] };

/** The arguments of a handler, from the field map of its contract. */
export type ArgumentsOf<Map extends FieldMap, Mode extends IntegerMode = "number"> = Flat<
  { -readonly [Name in Exclude<keyof Map, OptionalNames<Map>>]: Value<Map[Name], Mode> } & {
    -readonly [Name in OptionalNames<Map>]?: Value<WithoutMark<Map[Name]>, Mode>;
  }
>;
