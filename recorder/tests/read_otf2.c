/* Reads an archive with OTF2's own reader: for each I/O operation its kind, the
 * bytes asked for and its first byte in the file, for each view its file type,
 * in the order of time. */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 4096

static char *strings[MAX_NAMES];
static uint32_t attributes[MAX_NAMES]; /* names of them */
static uint64_t locations[MAX_NAMES];
static size_t nlocations;

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "read_otf2: %s\n", what);
        exit(1);
    }
}

static OTF2_CallbackCode take_string(void *user, OTF2_StringRef self,
                                     const char *text)
{
    (void)user;
    require(self < MAX_NAMES, "too many strings");
    strings[self] = strdup(text);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_attribute(void *user, OTF2_AttributeRef self,
                                        OTF2_StringRef name,
                                        OTF2_StringRef description,
                                        OTF2_Type type)
{
    (void)user;
    (void)description;
    (void)type;
    require(self < MAX_NAMES, "too many attributes");
    attributes[self] = name;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_location(void *user, OTF2_LocationRef self,
                                       OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t events,
                                       OTF2_LocationGroupRef group)
{
    (void)user;
    (void)name;
    (void)type;
    (void)events;
    (void)group;
    require(nlocations < MAX_NAMES, "too many locations");
    locations[nlocations++] = self;
    return OTF2_CALLBACK_SUCCESS;
}

/* The attribute of this name; 0: there is none. */
static int find(OTF2_AttributeList *list, const char *name,
                OTF2_AttributeValue *value)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);

    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute;
        OTF2_Type type;

        if (OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute, &type,
                                                   value) == OTF2_SUCCESS &&
            strcmp(strings[attributes[attribute]], name) == 0)
            return 1;
    }
    return 0;
}

static OTF2_CallbackCode
take_operation(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
               OTF2_AttributeList *list, OTF2_IoHandleRef handle,
               OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
               uint64_t bytes, uint64_t matching)
{
    OTF2_AttributeValue first;

    (void)time;
    (void)user;
    (void)handle;
    (void)flags;
    (void)matching;
    require(find(list, "first_byte", &first), "an operation has no place");
    printf("%" PRIu64 " %s %" PRIu64 " %" PRId64 "\n", (uint64_t)location,
           mode == OTF2_IO_OPERATION_MODE_READ    ? "read"
           : mode == OTF2_IO_OPERATION_MODE_WRITE ? "write"
                                                  : "flush",
           bytes, first.int64);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_enter(OTF2_LocationRef location,
                                    OTF2_TimeStamp time, void *user,
                                    OTF2_AttributeList *list,
                                    OTF2_RegionRef region)
{
    OTF2_AttributeValue type;

    (void)location;
    (void)time;
    (void)user;
    (void)region;
    if (find(list, "filetype", &type))
        printf("view %s\n", strings[type.stringRef]);
    return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *calls = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t n = 0;

    OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, take_string);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(calls, take_attribute);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, take_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, calls, NULL);
    OTF2_GlobalDefReaderCallbacks_Delete(calls);
    require(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n) ==
                OTF2_SUCCESS,
            "the definitions cannot be read");
}

int main(int argc, char **argv)
{
    OTF2_Reader *reader;
    OTF2_GlobalEvtReader *events;
    OTF2_GlobalEvtReaderCallbacks *calls = OTF2_GlobalEvtReaderCallbacks_New();
    uint64_t n = 0;

    require(argc == 2, "which archive?");
    reader = OTF2_Reader_Open(argv[1]);
    require(reader != NULL, "no archive");
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    read_definitions(reader);
    for (size_t i = 0; i < nlocations; i++)
        OTF2_Reader_SelectLocation(reader, locations[i]);
    OTF2_Reader_OpenEvtFiles(reader);
    for (size_t i = 0; i < nlocations; i++)
        (void)OTF2_Reader_GetEvtReader(reader, locations[i]);
    events = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(calls,
                                                              take_operation);
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(calls, take_enter);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, calls, NULL);
    OTF2_GlobalEvtReaderCallbacks_Delete(calls);
    require(OTF2_Reader_ReadAllGlobalEvents(reader, events, &n) == OTF2_SUCCESS,
            "the events cannot be read");
    OTF2_Reader_CloseGlobalEvtReader(reader, events);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
    return 0;
}
