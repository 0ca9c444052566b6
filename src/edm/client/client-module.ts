// Writes a typed client of a model as the source of one TypeScript module: the run-time part, which is the same for all models, followed by
// the declarations of the model. Constants have no side effects, so that bundlers remove those that are not used.
import { type CodeList, type Model, type Operation, simpleName } from '../model.ts';
import { type ClientScope, clientScope, codeName, hasOperation, typeName } from './client-scope.ts';
import { block, type ChooseName, commented, memberName, textLiteral } from './names.ts';
import { typeDeclarations } from './type-declarations.ts';
import { memberInfo, valueType } from './value-types.ts';

export interface ClientOptions {
  /** The sets of the client; all if empty. */
  readonly sets: readonly string[];
  /** The source of the run-time part. */
  readonly runtime: string;
  /** The first lines, as a comment. */
  readonly header: string;
}

/** The source of the module. */
export function clientModule(model: Model, options: ClientOptions): string {
  const { sets, runtime, header } = options;
  const scope = clientScope(model, sets, runtime);
  const types = scope.types.flatMap((type) => typeDeclarations(scope, type));
  const setConstants = scope.sets.map((set) => setConstant(scope, set));
  const operations = [...boundOperations(scope), ...unboundOperations(scope)];
  // Types and operations have named the code lists that they use.
  const lists = [...scope.codeNames.keys()].flatMap((name) => codeDeclarations(scope, name));
  const heading = '// ---- the model '.padEnd(120, '-');
  const parts = [header, runtime.trim(), heading, connection(model), ...lists, ...types];
  return `${[...parts, ...setConstants, ...operations].join('\n\n')}\n`;
}

function connection(model: Model): string {
  const [language = 'en'] = model.definition.languages;
  return `/** A client of the service at \`root\`. Texts of codes are in the language of the unions below. */
export function connect(options: ClientOptions): DocketClient {
  return createClient({ language: ${textLiteral(language)}, ...options });
}`;
}

// ---- codes ----------------------------------------------------------------------------------------------------------

/** The texts and values of a code list as unions, and its codes as constants. */
function codeDeclarations(scope: ClientScope, list: string): readonly string[] {
  const found = scope.model.codeLists.get(list);
  if (found === undefined) return [];
  const [language = ''] = scope.model.definition.languages;
  const name = codeName(scope, list);
  const texts = new Set(found.codes.map(({ texts: all }) => textLiteral(all[language] ?? '')));
  const areExact = found.codes.every(({ value }) => Number.isSafeInteger(Number(value)));
  const values = areExact ? found.codes.map(({ value }) => String(value)).join(' | ') : 'number';
  return [
    `export type ${name}Text = ${[...texts].join(' | ')};\nexport type ${name}Value = ${values};`,
    ...(areExact ? [codeConstant(scope, found, language)] : []),
  ];
}

/** `{ REGISTERED: { Text: 'Registered', Value: 101001 } }`: by meaning, which stays when a text changes, otherwise by text. */
function codeConstant(scope: ClientScope, list: CodeList, language: string): string {
  const used = new Set<string>();
  const coded = scope.types.flatMap((type) =>
    type.kind === 'complex' && type.coded !== undefined ? [type.coded] : [],
  )[0] ?? { text: 'Text', value: 'Value' };
  const lines = list.codes.map(({ meaning, texts, value }) => {
    const text = texts[language] ?? '';
    let key = meaning ?? (text.replaceAll(/[^\p{L}\p{N}]+/gu, '_') || `Code${value}`);
    if (used.has(key)) key = `${key}_${value}`;
    used.add(key);
    return `${memberName(key)}: { ${coded.text}: ${textLiteral(text)}, ${coded.value}: ${value} },`;
  });
  return `export const ${codeName(scope, list.name)} = ${block(lines)} as const;`;
}

// ---- sets -----------------------------------------------------------------------------------------------------------

function setConstant(scope: ClientScope, set: ClientScope['sets'][number]): string {
  const name = scope.choose(set.name);
  const type = typeName(scope, set.type);
  const withheld = [
    ...(set.insertable === false ? ["'create'"] : []),
    ...(set.updatable === false ? ["'update'"] : []),
  ];
  const shape = `${type}Shape`;
  const permitted = withheld.length === 0 ? shape : `Without<${shape}, ${withheld.join(' | ')}>`;
  const isSingle = set.kind === 'singleton';
  const members = [
    `path: ${textLiteral(set.name)}`,
    `type: ${type}Info`,
    ...(isSingle ? ['isSingleton: true'] : []),
  ];
  const declared = `${isSingle ? 'Singleton' : 'EntitySet'}<${permitted}>`;
  const line = `export const ${name}: ${declared} = { ${members.join(', ')} };`;
  return commented(line, set.description).join('\n');
}

// ---- functions and actions ------------------------------------------------------------------------------------------

/** A bound operation is named after the type that it is bound to: AnimalFeed, AnimalCollectionCalm. */
function boundOperations(scope: ClientScope): readonly string[] {
  const bound = scope.model.definition.operations.filter((one) => one.bound);
  return bound.flatMap((operation) => {
    const [binding, ...parameters] = operation.parameters;
    if (binding === undefined || !hasOperation(scope, operation)) return [];
    const owner = typeName(scope, binding.type) + (binding.collection ? 'Collection' : '');
    const type = textLiteral(binding.collection ? `Collection(${binding.type})` : binding.type);
    const wanted = owner + simpleName(operation.name);
    const call = { wanted, url: operation.name, binding: type, parameters };
    return [operationConstant(scope, operation, call)];
  });
}

function unboundOperations(scope: ClientScope): readonly string[] {
  return [...scope.model.imports.values()].flatMap((item) => {
    const overloads = scope.model.operations.get(item.operation) ?? [];
    return overloads
      .filter((one) => !one.bound && hasOperation(scope, one))
      .map((operation) => {
        const { parameters } = operation;
        const call = { wanted: item.name, url: item.name, binding: "''", parameters };
        return operationConstant(scope, operation, call);
      });
  });
}

interface OperationCall {
  readonly wanted: string;
  /** The name in URLs. */
  readonly url: string;
  readonly binding: string;
  readonly parameters: Operation['parameters'];
}

function operationConstant(
  scope: ClientScope,
  operation: Operation,
  { wanted, url, binding, parameters }: OperationCall,
): string {
  const choose: ChooseName = scope.choose;
  const { kind, returns, description } = operation;
  const input = parameters.map((parameter) => {
    const mayMiss = kind === 'action' && (parameter.nullable || parameter.collection);
    const mark = parameter.optional === true || mayMiss ? '?' : '';
    return `${memberName(parameter.name)}${mark}: ${valueType(scope, parameter, 'create')}`;
  });
  const inputs = input.length === 0 ? 'NoParameters' : `{ ${input.join('; ')} }`;
  const types = parameters.map(
    (parameter) => `${memberName(parameter.name)}: ${memberInfo(scope, parameter)}`,
  );
  const output = returns === undefined ? 'null' : valueType(scope, returns, 'read');
  const head = `export const ${choose(wanted)}: Operation<${binding}, ${inputs}, ${output}>`;
  const members = [
    `kind: '${kind}',`,
    `name: ${textLiteral(url)},`,
    `parameters: ${types.length === 0 ? '{}' : `{ ${types.join(', ')} }`},`,
    `result: '${resultKind(scope, operation)}',`,
  ];
  return commented(`${head} = ${block(members)};`, description).join('\n');
}

function resultKind({ model }: ClientScope, { returns }: Operation): string {
  if (returns === undefined) return 'none';
  if (returns.collection) return 'list';
  const kind = model.types.get(returns.type)?.kind;
  return kind === 'entity' || kind === 'complex' ? 'object' : 'value';
}
