/**
 * The Python program that lists and calls the functions of a skill's `tools.py`, as text for `python3 -c`. It only ever
 * runs in the sandbox. It reads one line of JSON: `{ mark, files: { path: base64 }, tool?, arguments? }`; without `tool` it
 * lists. The files are laid out in a folder of its own, not taken from the workspace, where anybody could have put one
 * more module beside them. Whatever is printed, the answer stands between two marks.
 */
export const PYTHON_RUNNER = String.raw`
import asyncio, base64, enum, inspect, json, os, sys, tempfile, traceback, types, typing

request = json.loads(sys.stdin.buffer.readline())
mark = request["mark"]
LIMIT = 900000

def answer(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    if len(text.encode("utf-8", "replace")) > LIMIT:
        text = json.dumps({"error": "The result is larger than %d bytes. Return less, or write it to a file." % LIMIT})
    sys.stdout.flush()
    sys.stderr.flush()
    out = ("\n" + mark + text + mark + "\n").encode("utf-8", "replace")
    while out:
        out = out[os.write(1, out):]
    os._exit(0)

def is_model(hint):
    return isinstance(hint, type) and hasattr(hint, "model_validate") and hasattr(hint, "model_json_schema")

def is_enum(hint):
    return isinstance(hint, type) and issubclass(hint, enum.Enum)

PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}

def schema_of(hint):
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        schema = dict(schema_of(args[0]))
        for note in args[1:]:
            text = note if isinstance(note, str) else getattr(note, "description", None)
            if isinstance(text, str):
                schema["description"] = text
        return schema
    if isinstance(hint, type) and hint in PLAIN:
        return {"type": PLAIN[hint]}
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin is typing.Union or origin is getattr(types, "UnionType", typing.Union):
        return {"anyOf": [schema_of(each) for each in args]}
    if hint in (list, tuple, set) or origin in (list, tuple, set, frozenset) or getattr(origin, "__name__", "") in ("Sequence", "Iterable"):
        return {"type": "array", "items": schema_of(args[0])} if args else {"type": "array"}
    if getattr(typing, "is_typeddict", lambda _hint: False)(hint):
        return object_of(typing.get_type_hints(hint, include_extras=True), getattr(hint, "__required_keys__", ()))
    if hint is dict or origin is dict or getattr(origin, "__name__", "") == "Mapping":
        return {"type": "object", "additionalProperties": schema_of(args[1])} if len(args) == 2 else {"type": "object"}
    if is_enum(hint):
        return {"enum": [each.value for each in hint]}
    if is_model(hint):
        return hint.model_json_schema()
    if hasattr(hint, "__dataclass_fields__"):
        fields = hint.__dataclass_fields__
        missing = __import__("dataclasses").MISSING
        needed = [n for n, f in fields.items() if f.default is missing and f.default_factory is missing]
        return object_of(typing.get_type_hints(hint, include_extras=True), needed)
    return {}

def object_of(hints, required):
    return {"type": "object", "properties": {n: schema_of(h) for n, h in hints.items()}, "required": sorted(required)}

def value_of(hint, value):
    if typing.get_origin(hint) is typing.Annotated:
        hint = typing.get_args(hint)[0]
    if is_model(hint):
        return hint.model_validate(value)
    return hint(value) if is_enum(hint) else value

class ToolException(Exception):
    pass

class InjectedToolArg:
    pass

class BaseTool:
    pass

class Tool(BaseTool):
    def __init__(self, function, name=None, description=None, args_schema=None, response_format="content", **_ignored):
        self.func = function
        self.coroutine = function if inspect.iscoroutinefunction(function) else None
        self.name = name or function.__name__
        self.description = description or inspect.getdoc(function) or self.name
        self.args_schema = args_schema
        self.response_format = response_format
        self.__doc__ = self.description

    def hints(self):
        try:
            return typing.get_type_hints(self.func, include_extras=True)
        except Exception:
            return dict(getattr(self.func, "__annotations__", {}))

    def input(self):
        if isinstance(self.args_schema, dict):
            return self.args_schema
        if is_model(self.args_schema):
            return self.args_schema.model_json_schema()
        hints, properties, required = self.hints(), {}, []
        for name, parameter in inspect.signature(self.func).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            schema = dict(schema_of(hints.get(name, typing.Any)))
            if parameter.default is parameter.empty:
                required.append(name)
            else:
                try:
                    default = parameter.default.value if isinstance(parameter.default, enum.Enum) else parameter.default
                    schema["default"] = json.loads(json.dumps(default))
                except (TypeError, ValueError):
                    pass
            properties[name] = schema
        return {"type": "object", "properties": properties, "required": required}

    def call(self, given):
        hints = self.hints()
        result = self.func(**{name: value_of(hints.get(name), value) for name, value in given.items()})
        if inspect.isawaitable(result):
            async def wait():
                return await result
            result = asyncio.run(wait())
        if self.response_format == "content_and_artifact" and isinstance(result, tuple):
            result = result[0]
        return result.model_dump() if is_model(type(result)) else result

    def __call__(self, *args, **kwargs):
        return self.func(*args, **kwargs)

    def invoke(self, given, *_more, **_options):
        return self.call(given if isinstance(given, dict) else {next(iter(inspect.signature(self.func).parameters)): given})

    run = invoke

    async def ainvoke(self, given, *_more, **_options):
        result = self.func(**given)
        return await result if inspect.isawaitable(result) else result

    @classmethod
    def from_function(cls, func=None, coroutine=None, **options):
        return cls(func or coroutine, **options)

def tool(*given, **options):
    names = [each for each in given if isinstance(each, str)]
    functions = [each for each in given if callable(each)]
    if "name_or_callable" in options:
        each = options.pop("name_or_callable")
        (names if isinstance(each, str) else functions).append(each)
    if names:
        options["name"] = names[0]
    return Tool(functions[0], **options) if functions else lambda function: Tool(function, **options)

def bring():
    for package, module in (("langchain_core", "tools"), ("langchain", "tools")):
        parent = types.ModuleType(package)
        child = types.ModuleType(package + "." + module)
        parent.__path__ = []
        for name, value in dict(tool=tool, Tool=Tool, StructuredTool=Tool, BaseTool=BaseTool,
                                ToolException=ToolException, InjectedToolArg=InjectedToolArg).items():
            setattr(child, name, value)
        setattr(parent, module, child)
        sys.modules[package], sys.modules[package + "." + module] = parent, child

def load():
    folder = tempfile.mkdtemp(prefix="skill-")
    for path, content in request["files"].items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(base64.b64decode(content))
    sys.path.insert(0, folder)
    bring()
    import importlib.util
    spec = importlib.util.spec_from_file_location("tools", os.path.join(folder, "tools.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["tools"] = module
    spec.loader.exec_module(module)
    found = {}
    for value in list(vars(module).values()):
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(each, Tool):
                found.setdefault(each.name, each)
    return found

def why(error):
    if isinstance(error, ModuleNotFoundError):
        return "%s. It is not installed where tools of skills run; use what Python brings, or put it into the skill." % error
    lines = traceback.extract_tb(error.__traceback__)
    own = [line for line in lines if "skill-" in line.filename]
    place = " (%s, line %s)" % (os.path.basename(own[-1].filename), own[-1].lineno) if own else ""
    if isinstance(error, SyntaxError):
        place = " (%s, line %s)" % (os.path.basename(error.filename or ""), error.lineno)
        return "SyntaxError: %s%s" % (error.msg, place)
    return "%s: %s%s" % (type(error).__name__, error, place)

try:
    found = load()
    if request.get("tool") is None:
        answer({"tools": [{"name": t.name, "description": t.description, "input": t.input()} for t in found.values()]})
    if request["tool"] not in found:
        answer({"error": "tools.py has no tool %s any more." % request["tool"]})
    answer({"result": found[request["tool"]].call(request["arguments"])})
except ToolException as error:
    answer({"error": str(error)})
except (Exception, SystemExit) as error:
    answer({"error": why(error)})
`
